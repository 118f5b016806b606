declare module '*.css';
declare module 'rapidoc';
