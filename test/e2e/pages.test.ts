import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startTestService, type TestService } from '../support/service.js';

let service: TestService;
beforeAll(async () => {
  service = await startTestService();
});
afterAll(() => service.close());

describe.each(['/docs', '/graphiql'])('the page %s', (path) => {
  it('refers to no other host, and everything that it refers to is there', async () => {
    const page = await service.request('GET', path);
    expect(page.status).toBe(200);
    expect(page.headers.get('content-type')).toMatch(/^text\/html/);
    expect(page.text).not.toMatch(/\/\/[a-z]/);

    const references = [...page.text.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, reference]) => reference!);
    expect(references.length).toBeGreaterThan(3);
    for (const reference of references) {
      expect(reference).toMatch(/^\/(docs|graphiql)\//);
      const answer = await service.request('GET', reference);
      expect([reference, answer.status]).toEqual([reference, 200]);
      expect(answer.text.length).toBeGreaterThan(50);
    }
  });

  it('lets the browser fetch from this service alone', async () => {
    const page = await service.request('GET', path);
    expect(page.headers.get('content-security-policy')).toMatch(/^default-src 'self';/);
    expect(page.headers.get('content-security-policy')).not.toMatch(/https?:|\*/);
  });

  it('gives no other file of the packages', async () => {
    const answer = await service.request('GET', `${path}/assets/package.json`);
    expect(answer.status).toBe(404);
  });
});
