import { bootstrapApplication } from '@angular/platform-browser';
import { provideRouter } from '@angular/router';
import { About } from './app/about';
import { App } from './app/app';
import { Home } from './app/home';

const routes = [
  { path: '', component: Home },
  { path: 'about', component: About },
];

bootstrapApplication(App, { providers: [provideRouter(routes)] }).catch((error: unknown) =>
  console.error(error),
);
