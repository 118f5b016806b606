import type { PictureView } from './picture-views.ts';

/* These functions are sent to the page as text, so they must not use anything outside themselves. */

type Place = PictureView['place'];

/** A picture of a place in the screenshot, compared with the stored picture. */
export interface Compared {
  /** A PNG in base64; each dot is the mean of 4 by 4 CSS pixels. */
  picture: string;
  /** Number of dots that differ by more than the tolerance. */
  dots: number;
  /** The largest difference of a dot, from 0 to 255. */
  worst: number;
  /** The differing dots in red on the stored picture; a PNG in base64. */
  difference: string;
}

/** Adds a frame with a chat for each view; resolves when all of them are in the page. */
export async function stage(
  views: readonly PictureView[],
  histories: Readonly<Record<string, readonly { role: string; content: string }[]>>,
): Promise<void> {
  document.body.replaceChildren();
  const bottom = Math.max(...views.map(({ place }) => place.y + 800));
  document.body.style.cssText = `margin: 0; padding: 0; position: relative; height: ${String(bottom)}px; background: #fff`;
  for (const { name, place, attributes } of views) {
    const frame = document.createElement('iframe');
    frame.id = name;
    frame.style.cssText =
      `position: absolute; border: 0; left: ${String(place.x)}px; top: ${String(place.y)}px;` +
      `width: ${String(place.width)}px; height: ${String(place.height)}px`;
    frame.srcdoc = `<!doctype html><html lang="en"><title>${name}</title><body></body></html>`;
    await new Promise((resolve) => {
      frame.addEventListener('load', resolve, { once: true });
      document.body.append(frame);
    });
    const page = frame.contentDocument as Document;
    const view = frame.contentWindow as Window & typeof globalThis;
    const history = histories[attributes['lang'] ?? 'en'] ?? [];
    const id = '11111111-2222-4333-8444-555555555556';
    // A canned service. The page loads nothing else by `fetch`.
    view.fetch = (url) =>
      Promise.resolve(
        Response.json(
          (typeof url === 'string' ? url : '').endsWith('/widget')
            ? { status: true, data: { name: 'Kim', language: 'en', widget_settings: {} } }
            : { status: true, conversation_id: id, history, variables: null },
        ),
      );
    const script = page.createElement('script');
    script.type = 'module';
    script.src = '/voice-assistant-chat.js';
    const chat = page.createElement('voice-assistant-chat');
    const all = {
      ...attributes,
      'assistant-id': id,
      'base-url': 'https://canned.invalid',
      persist: 'none',
      open: '',
    };
    for (const [key, value] of Object.entries(all)) chat.setAttribute(key, value);
    chat.style.setProperty('--voice-assistant-chat-font', "'Noto Sans', 'DejaVu Sans'");
    page.body.append(chat);
    page.head.append(script);
  }
}

/** Whether every chat has loaded and its layout no longer changes. */
export function isStill(views: readonly PictureView[], count: number): boolean {
  const store = globalThis as { lastLayout?: string };
  const layout: number[] = [];
  for (const { name, css } of views) {
    const frame = document.getElementById(name) as HTMLIFrameElement;
    const page = frame.contentDocument as Document;
    const root = page.querySelector('voice-assistant-chat')?.shadowRoot;
    const panel = root?.querySelector('[part~="panel"]');
    const log = root?.querySelector('[part="message-log"]');
    const isDrawn =
      root && root.querySelectorAll('article').length >= count && root.querySelector('.markdown table');
    if (!panel || !log || !isDrawn || getComputedStyle(panel).opacity !== '1') {
      // WebKit runs no animation frames outside the viewport.
      frame.scrollIntoView();
      return false;
    }
    if (frame.dataset['css'] === undefined) {
      const view = frame.contentWindow as Window & typeof globalThis;
      const sheet = new view.CSSStyleSheet();
      // Hides scroll bars, which some systems show only at times. Uses the same font for code on every machine.
      sheet.replaceSync(
        `${css ?? ''} pre, code { font-family: 'Noto Sans Mono' !important } * { scrollbar-width: none !important } ::-webkit-scrollbar { display: none !important }`,
      );
      root.adoptedStyleSheets.push(sheet);
      frame.dataset['css'] = '';
    }
    log.scrollTop = log.scrollHeight;
    const input = root.querySelector('textarea');
    if (input) input.style.caretColor = 'transparent';
    (root.activeElement as HTMLElement | null)?.blur();
    if (
      page.fonts.status !== 'loaded' ||
      panel.getAnimations({ subtree: true }).some(({ playState }) => playState === 'running')
    )
      return false;
    for (const element of [panel, ...panel.querySelectorAll('*')]) {
      const { left, top, width, height } = element.getBoundingClientRect();
      layout.push(left, top, width, height);
    }
  }
  const next = layout.join();
  const before = store.lastLayout;
  store.lastLayout = next;
  return next === before;
}

/** Measures sample texts in the fonts of a frame, since pictures with other fonts cannot be compared. */
export function measureFonts(name: string): Record<string, number> {
  const page = (document.getElementById(name) as HTMLIFrameElement).contentDocument as Document;
  const root = page.querySelector('voice-assistant-chat')?.shadowRoot as ShadowRoot;
  const families = {
    text: getComputedStyle(root.querySelector('[part~="panel"]') as Element).fontFamily,
    code: getComputedStyle(root.querySelector('pre code, pre') as Element).fontFamily,
  };
  const samples = {
    latin: ['text', '400', 'Hamburgefonstiv 0123456789'],
    bold: ['text', '700', 'Hamburgefonstiv 0123456789'],
    code: ['code', '400', 'Hamburgefonstiv 0123456789'],
    arabic: ['text', '400', 'على الرحب والسعة'],
  } as const;
  const line = page.createElement('span');
  page.body.append(line);
  const measured = Object.entries(samples).map(([sample, [family, weight, text]]) => {
    line.style.cssText = `position: absolute; white-space: nowrap; font: ${weight} 100px ${families[family]}`;
    line.textContent = text;
    const { width, height } = line.getBoundingClientRect();
    return [sample, [width, height]] as const;
  });
  line.remove();
  return Object.fromEntries(
    measured.flatMap(([sample, [width, height]]) => [
      [`${sample} width`, Math.round(width)],
      [`${sample} height`, Math.round(height)],
    ]),
  );
}

/**
 * Crops a screenshot, reduces it, and compares it with the stored picture. Each dot is the mean of 4 by 4 pixels and may
 * match a neighboring dot, so differences in font smoothing stay far below a visible change.
 */
export async function comparePictures(
  screenshot: string,
  { x, y, width, height }: Place,
  kept: string | null,
  tolerance: number,
): Promise<Compared> {
  const size = 4;
  const canvasOf = (w: number, h: number): CanvasRenderingContext2D => {
    const canvas = document.createElement('canvas');
    canvas.width = w;
    canvas.height = h;
    return canvas.getContext('2d', { willReadFrequently: true }) as CanvasRenderingContext2D;
  };
  const bitmapOf = (png: string): Promise<ImageBitmap> => {
    const bytes = Uint8Array.from(atob(png), (character) => character.charCodeAt(0));
    return createImageBitmap(new Blob([bytes], { type: 'image/png' }));
  };
  const pngOf = (pixels: ImageData): string => {
    const context = canvasOf(pixels.width, pixels.height);
    context.putImageData(pixels, 0, 0);
    return context.canvas.toDataURL('image/png').replace(/^.*,/, '');
  };
  const readAll = (bitmap: ImageBitmap, w: number, h: number, left = 0, top = 0): Uint8ClampedArray => {
    const context = canvasOf(w, h);
    context.drawImage(bitmap, -left, -top);
    return context.getImageData(0, 0, w, h).data;
  };

  const whole = await bitmapOf(screenshot);
  const scale = whole.width / innerWidth;
  const [w, h] = [Math.floor(width / size), Math.floor(height / size)];
  const cell = Math.round(size * scale);
  const [left, top] = [Math.round(x * scale), Math.round(y * scale)];
  const pixels = readAll(whole, w * cell, h * cell, left, top);
  const small = new ImageData(w, h);
  for (let row = 0; row < h; row++)
    for (let column = 0; column < w; column++)
      for (let channel = 0; channel < 4; channel++) {
        let sum = 0;
        for (let dy = 0; dy < cell; dy++)
          for (let dx = 0; dx < cell; dx++)
            sum += pixels[((row * cell + dy) * w * cell + column * cell + dx) * 4 + channel] ?? 0;
        small.data[(row * w + column) * 4 + channel] = Math.round(sum / cell ** 2);
      }
  const picture = pngOf(small);
  if (kept === null) return { picture, dots: 0, worst: 0, difference: picture };

  const known = await bitmapOf(kept);
  if (known.width !== w || known.height !== h)
    return { picture, dots: w * h, worst: 255, difference: picture };
  const expected = readAll(known, w, h);
  const near = [-1, 0, 1].flatMap((dy) => [-1, 0, 1].map((dx) => [dx, dy] as const));
  /** Averages the color of each dot with those of its neighbors. */
  const soften = (data: Uint8ClampedArray): number[][] =>
    Array.from({ length: w * h }, (_, dot) => {
      const around = near.filter(([dx, dy]) => {
        const [column, row] = [(dot % w) + dx, Math.floor(dot / w) + dy];
        return column >= 0 && column < w && row >= 0 && row < h;
      });
      return [0, 1, 2].map((channel) => {
        const sum = around.reduce((all, [dx, dy]) => all + (data[(dot + dy * w + dx) * 4 + channel] ?? 0), 0);
        return sum / around.length;
      });
    });
  const [ours, theirs] = [soften(small.data), soften(expected)];
  /** The smallest difference between a dot's color and those of the same and neighboring dots in the other picture. */
  const distance = (from: number[][], to: number[][], dot: number): number => {
    const color = from[dot] ?? [];
    let least = 255;
    for (const [dx, dy] of near) {
      const other = to[dot + dy * w + dx];
      if (other) least = Math.min(least, Math.max(...color.map((v, i) => Math.abs(v - (other[i] ?? 0)))));
    }
    return least;
  };
  const marked = new ImageData(w, h);
  let [dots, worst] = [0, 0];
  for (let dot = 0; dot < w * h; dot++) {
    const difference = Math.max(distance(ours, theirs, dot), distance(theirs, ours, dot));
    worst = Math.max(worst, difference);
    if (difference > tolerance) dots++;
    const gray =
      128 + ((expected[dot * 4] ?? 0) + (expected[dot * 4 + 1] ?? 0) + (expected[dot * 4 + 2] ?? 0)) / 6;
    marked.data.set(difference > tolerance ? [255, 0, 0, 255] : [gray, gray, gray, 255], dot * 4);
  }
  return { picture, dots, worst: Math.round(worst), difference: pngOf(marked) };
}
