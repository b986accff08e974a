import { z } from 'zod';
import { isTrustworthyUrl } from './trustworthy-url.js';

const PATIENCE_MS = 5000;

const DOCUMENT = z.object({ issuer: z.string(), jwks_uri: z.string().refine(isTrustworthyUrl) });

/**
 * The URL of an issuer's keys, from its discovery document (OpenID Connect Discovery 1.0, section 4).
 *
 * @throws {Error} the document cannot be fetched, or belongs to another issuer
 */
export async function discoverKeySet(issuer: string): Promise<URL> {
  const response = await fetch(`${issuer.replace(/\/$/, '')}/.well-known/openid-configuration`, {
    headers: { accept: 'application/json' },
    redirect: 'error',
    signal: AbortSignal.timeout(PATIENCE_MS),
  });
  if (!response.ok)
    throw new Error(`the request for the discovery document of ${issuer} returned the status ${response.status}`);
  const document = DOCUMENT.parse(await response.json());
  if (document.issuer !== issuer) throw new Error(`the discovery document of ${issuer} belongs to another issuer`);
  return new URL(document.jwks_uri);
}
