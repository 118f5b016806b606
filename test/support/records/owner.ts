import { createApiKey } from '../service/create-api-key.ts';
import { checkAnswer } from '../service/check-answer.ts';
import type { ServiceAnswer } from '../service/service-client.ts';
import { createUser } from '../service/service.ts';
import type { TestService } from '../service/service.ts';

/** A user with an API key, and requests authenticated by it. */
export class Owner {
  readonly id: number;
  readonly key: string;
  readonly #service: TestService;

  private constructor(service: TestService, id: number, key: string) {
    this.#service = service;
    this.id = id;
    this.key = key;
  }

  static async create(service: TestService, balance = '0'): Promise<Owner> {
    return Owner.of(service, await createUser(service.running, balance));
  }

  /** A user that exists. */
  static async of(service: TestService, id: number): Promise<Owner> {
    return new Owner(service, id, await createApiKey(service.running.database.db, id, 'Test'));
  }

  /** The same user on another service with the same database. */
  at(service: TestService): Owner {
    return new Owner(service, this.id, this.key);
  }

  /** @param path relative to `/api/user/` */
  async request(method: string, path: string, body?: unknown): Promise<OwnerAnswer> {
    const answer = await this.#service.request(method, `/api/user/${path}`, body, {
      Authorization: `Bearer ${this.key}`,
    });
    return { ...answer, errors: (answer.json['errors'] ?? {}) as Record<string, string[]> };
  }

  get(path: string): Promise<OwnerAnswer> {
    return this.request('GET', path);
  }

  post(path: string, body: unknown): Promise<OwnerAnswer> {
    return this.request('POST', path, body);
  }

  put(path: string, body: unknown): Promise<OwnerAnswer> {
    return this.request('PUT', path, body);
  }

  delete(path: string): Promise<OwnerAnswer> {
    return this.request('DELETE', path);
  }

  /** Sends a multipart form. */
  async upload(path: string, fields: Record<string, string | Blob>): Promise<OwnerAnswer> {
    const form = new FormData();
    for (const [name, value] of Object.entries(fields)) form.append(name, value);
    const response = await fetch(`${this.#service.url}/api/user/${path}`, {
      method: 'POST',
      headers: { Authorization: `Bearer ${this.key}` },
      body: form,
    });
    const text = await response.text();
    const json = JSON.parse(text) as Record<string, unknown>;
    const errors = (json['errors'] ?? {}) as Record<string, string[]>;
    const answer = { status: response.status, headers: response.headers, text, json, errors };
    checkAnswer('POST', `/api/user/${path}`, answer);
    return answer;
  }

  /** Creates a record and returns the response's `data`; throws if the request is refused. */
  async create(path: string, body: unknown): Promise<Record<string, unknown> & { id: number }> {
    const { status, json, text } = await this.post(path, body);
    if (status >= 300) throw new Error(`${path} was refused: ${status} ${text}`);
    return json['data'] as Record<string, unknown> & { id: number };
  }
}

export interface OwnerAnswer extends ServiceAnswer {
  /** Error messages by field, of a response with status 422. */
  errors: Record<string, string[]>;
}
