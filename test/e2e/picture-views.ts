/** A frame with a chat, whose picture is compared with a stored one. */
export interface PictureView {
  readonly name: string;
  /** Position and size of the frame, in CSS pixels of the page. */
  readonly place: { readonly x: number; readonly y: number; readonly width: number; readonly height: number };
  readonly attributes: Readonly<Record<string, string>>;
  /** The user's style sheet. */
  readonly css?: string;
  /** Color schemes for further pictures with forced colors. Chromium only. */
  readonly forced?: readonly ('light' | 'dark')[];
}

/** The text spacing that WCAG 2.2, 1.4.12, requires support for. */
const spacing = `
  * { line-height: 1.5 !important; letter-spacing: 0.12em !important; word-spacing: 0.16em !important }
  p { margin-block-end: 2em !important }`;

/** The height of a row of frames. A row fits into a window of 1280 by 800. */
export const rowHeight = 800;

const light = { lang: 'en', theme: 'light' };

export const pictureViews: readonly PictureView[] = [
  // WCAG 2.2, 1.4.10: a window of 1280 pixels, zoomed to 400 %.
  { name: 'narrow', place: { x: 0, y: 0, width: 320, height: 640 }, attributes: light },
  { name: 'spaced', place: { x: 340, y: 0, width: 320, height: 640 }, attributes: light, css: spacing },
  {
    name: 'phone-dark',
    place: { x: 680, y: 0, width: 390, height: 700 },
    attributes: { lang: 'en', theme: 'dark' },
  },
  {
    name: 'floating-dark',
    place: { x: 0, y: rowHeight, width: 500, height: 720 },
    attributes: { lang: 'en', theme: 'dark' },
  },
  {
    name: 'right-to-left',
    place: { x: 520, y: rowHeight, width: 500, height: 720 },
    attributes: { lang: 'ar', theme: 'light' },
  },
  // WCAG 2.2, 1.4.4: a window of 1280 by 800 pixels, zoomed to 200 %.
  { name: 'zoomed', place: { x: 0, y: 2 * rowHeight, width: 640, height: 400 }, attributes: light },
  {
    name: 'floating',
    place: { x: 660, y: 2 * rowHeight, width: 500, height: 720 },
    attributes: { lang: 'en', theme: 'auto' },
    forced: ['light', 'dark'],
  },
];

/** The conversations in the pictures, by language, with the elements that affect layout. */
export const pictureHistories: Readonly<Record<string, readonly { role: string; content: string }[]>> = {
  en: [
    { role: 'assistant', content: 'Hello! I am Kim. What are you looking for?' },
    { role: 'user', content: 'Which width fits a broad foot? My last boots were too tight after an hour.' },
    {
      role: 'assistant',
      content: [
        'Most people with **broad feet** take the *wide* last:',
        '1. Measure in the evening.\n2. Look the length up in the [table](https://example.com/sizes).',
        '| Size | Length | In stock |\n|---|--:|---|\n| 42 | 26.5 cm | yes |\n| 43 | 27.2 cm | no |',
        '```js\nfind({ size: 42, width: "wide" });\n```',
      ].join('\n\n'),
    },
    { role: 'user', content: 'Thank you!' },
    { role: 'assistant', content: 'You are welcome. Anything else?' },
  ],
  ar: [
    { role: 'assistant', content: 'مرحبًا! أنا كيم. عمّ تبحث؟' },
    { role: 'user', content: 'ما العرض المناسب لقدم عريضة؟' },
    {
      role: 'assistant',
      content: [
        'يختار معظم الناس القالب **العريض**:',
        '1. قِس قدمك في المساء.\n2. ابحث عن الطول في [الجدول](https://example.com/sizes).',
        '| المقاس | الطول | متوفر |\n|---|--:|---|\n| 42 | 26.5 cm | نعم |\n| 43 | 27.2 cm | لا |',
      ].join('\n\n'),
    },
    { role: 'user', content: 'شكرًا!' },
    { role: 'assistant', content: 'على الرحب والسعة. هل من شيء آخر؟' },
  ],
};
