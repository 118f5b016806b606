import type { PageTool } from '../../src/widget/page-tool.ts';

/** A tool of the page. */
export const showProduct = (run: PageTool['run'], safe = false): PageTool => ({
  name: 'show_product',
  description: 'Shows a product on the page.',
  parameters: [{ name: 'code', type: 'string', description: 'Its code', required: true }],
  safe,
  run,
});

/** What makes the assistant ask for it. */
export const questionForProduct = 'Please show product "ALP-40".';
