import { Component } from '@angular/core';
import { Chat } from './chat';

@Component({
  selector: 'app-home',
  imports: [Chat],
  template: `
    <h1>Lamps that last longer than their bulbs</h1>
    <p>Ask the assistant anything about our shop.</p>
    <app-chat />
  `,
})
export class Home {}
