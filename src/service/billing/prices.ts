/** USD for one user message in a conversation of type `widget` (interface: "Limits", Billing). A `test` costs nothing. */
export const widgetMessagePrice = '0.01';
