import { Component, CUSTOM_ELEMENTS_SCHEMA, signal } from '@angular/core';
import type { ChatEventMap } from 'voice-assistant-chat';
import 'voice-assistant-chat';

@Component({
  selector: 'app-chat',
  schemas: [CUSTOM_ELEMENTS_SCHEMA],
  template: `
    <output>{{ answer() }}</output>
    <voice-assistant-chat
      assistant-id="ASSISTANT-UUID"
      base-url="https://assistants.example"
      heading="Ask Lumen"
      [variables]="customer"
      (chat-message)="onMessage($event)"
    />
  `,
})
export class Chat {
  readonly customer = { first_name: 'Ada', cart: { items: 2 } };
  readonly answer = signal('No answer yet');

  onMessage({ detail }: ChatEventMap['chat-message']) {
    this.answer.set(`Last answer: ${detail.text.length} characters`);
  }
}
