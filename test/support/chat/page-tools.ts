import type { PageTool } from '../../../src/widget/page-tool.ts';
import { mount, type Chat } from './chat-fixture.ts';

/** Opens a chat with page tools and waits for its greeting. */
export async function openWithTools(...tools: PageTool[]): Promise<Chat> {
  const chat = mount();
  chat.element.tools = tools;
  await chat.open();
  await chat.answered(1);
  return chat;
}

/** The visible tool requests. */
export function toolRequests(chat: Chat): HTMLElement[] {
  return chat.findAll('[part~="tool-request"]');
}

export function buttonIn(request: HTMLElement, label: string): HTMLButtonElement {
  const button = [...request.querySelectorAll('button')].find(({ innerText }) => innerText.trim() === label);
  if (button === undefined) throw new Error(`There is no button “${label}” in: ${request.innerText}`);
  return button;
}

/** Returns the page tool `show_product`. */
export const showProduct = (run: PageTool['run'], safe = false): PageTool => ({
  name: 'show_product',
  description: 'Shows a product on the page.',
  parameters: [{ name: 'code', type: 'string', description: 'Its code', required: true }],
  safe,
  run,
});

/** A question that makes the assistant call `show_product`. */
export const productQuestion = 'Please show product "ALP-40".';
