// The system's fonts: nothing to load.
export { default } from 'vitepress/theme-without-fonts';
