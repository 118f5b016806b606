// The system's fonts, so that no font has to load.
import DefaultTheme from 'vitepress/theme-without-fonts';
import type { Theme } from 'vitepress';
import { HttpReference } from './http-reference.ts';
import './style.css';

export default {
  extends: DefaultTheme,
  enhanceApp({ app }) {
    app.component('HttpReference', HttpReference);
  },
} satisfies Theme;
