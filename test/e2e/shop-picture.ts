import type { Page } from 'playwright';

/** The size of the picture of the README, in pixels. */
export const pictureSize = { width: 1100, height: 760 };

/** Opens the demo's shop with the chat and an answered question, as the picture of the README shows it. */
export async function openPicturedChat(page: Page, demoUrl: string): Promise<void> {
  await page.goto(`${demoUrl}/`);
  await page.locator('[part~="launcher"]').click();
  await page.getByRole('textbox').fill('When are you open on Saturdays?');
  await page.keyboard.press('Enter');
  await page.locator('[part~="message-assistant"]').nth(1).waitFor();
  await page.locator('[part~="typing"]').waitFor({ state: 'detached' });
  await page.getByText('Sending…').waitFor({ state: 'detached' });
  await page.locator('[part~="call-button"]').waitFor();
}

/** The parts of the visible controls, in their order. */
export function readControls(page: Page): Promise<string[]> {
  return page
    .locator('voice-assistant-chat :is(button, textarea):visible')
    .evaluateAll((elements) => elements.map((element) => element.getAttribute('part') ?? element.tagName));
}
