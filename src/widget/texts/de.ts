import type { Texts } from './texts.ts';

export const de: Texts = {
  chat: 'Chat',
  close: 'Chat schließen',
  newConversation: 'Neues Gespräch',
  messages: 'Nachrichten',
  yourMessage: 'Ihre Nachricht',
  placeholder: 'Nachricht schreiben …',
  send: 'Senden',
  you: 'Sie',
  assistant: 'Assistent',
  notice: 'Hinweis',
  connecting: 'Verbindung wird aufgebaut …',
  typing: 'Schreibt eine Antwort …',
  empty: 'Stellen Sie Ihre erste Frage.',
  test: 'Test · kostenlos',
  queued: 'Wartet auf den Versand',
  sending: 'Wird gesendet …',
  notSent: 'Nicht gesendet.',
  retry: 'Erneut versuchen',
  retryIn: 'Neuer Versuch in {seconds} s',
  startOver: 'Neues Gespräch beginnen',
  count: '{count} von {limit} Zeichen',
  tooLong: '{excess} Zeichen zu viel. Kürzen Sie die Nachricht oder senden Sie sie in Teilen.',

  offline: 'Sie sind offline.',
  offlineAdvice: 'Ihre Nachricht bleibt erhalten und wird gesendet, sobald Sie wieder verbunden sind.',
  network: 'Die Verbindung ist abgebrochen.',
  networkAdvice:
    'Nichts von Ihrem Text geht verloren. Prüfen Sie die Verbindung und versuchen Sie es erneut.',
  timeout: 'Die Antwort dauert zu lange.',
  timeoutAdvice: 'Nichts von Ihrem Text geht verloren. Versuchen Sie es gleich noch einmal.',
  nonsense: 'Der Dienst hat eine unverständliche Antwort geschickt.',
  nonsenseAdvice: 'Versuchen Sie es gleich noch einmal.',
  unavailableAdvice: 'Der Dienst hat ein Problem. Versuchen Sie es gleich noch einmal.',
  balanceAdvice:
    'Der Betreiber dieser Seite muss sein Guthaben aufladen, bevor es weitergeht. Ihre Nachricht bleibt erhalten.',
  assistantAdvice:
    'Dieser Chat ist nicht richtig eingerichtet. Für Betreiber: Prüfen Sie assistant-id im Tag.',
  assistantMissing: 'Diesem Chat fehlt der Assistent.',
  conversationAdvice:
    'Es wurde vielleicht gelöscht. Sie können ein neues beginnen; was Sie geschrieben haben, wird übernommen.',
  waitAdvice: 'Zu viele Nachrichten in kurzer Zeit. Ihre Nachricht bleibt erhalten.',
  refusedAdvice: 'Ändern Sie die Nachricht und senden Sie sie erneut.',
  engineAdvice: 'Es wurde nichts berechnet. Versuchen Sie es erneut.',

  inspect: 'Was der Assistent getan hat',

  copy: 'Kopieren',
  copied: 'Kopiert',
  task: 'Aufgabe',
  table: 'Tabelle',
};
