import { Component } from '@angular/core';

@Component({
  selector: 'app-about',
  template: `
    <h1>About us</h1>
    <p>We have built lamps in Graz since 1987.</p>
  `,
})
export class About {}
