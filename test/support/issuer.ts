import { exportJWK, exportSPKI, generateKeyPair, SignJWT, type JWTPayload } from 'jose';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

export const AUDIENCE = 'kube-placement';

/** The claims of a token. By default: alice, now, for an hour. Times are in seconds from now. */
export interface TokenWish {
  readonly claims?: JWTPayload;
  readonly issuer?: string;
  readonly audience?: string | readonly string[];
  /** null: never. */
  readonly expiresIn?: number | null;
  readonly notBeforeIn?: number;
  /** A key that the issuer does not publish. */
  readonly unknownKey?: boolean;
}

/** A real identity provider on this machine: a discovery document, a key set, and signed tokens. */
export interface TestIssuer {
  readonly url: string;
  token(wish?: TokenWish): Promise<string>;
  /** Replaces the key by a new one. */
  rotate(): Promise<void>;
  /** Makes the provider reachable or not. */
  available: boolean;
  /** The current public key as PEM, as an attacker could get it. */
  publicKey(): Promise<string>;
  close(): Promise<void>;
}

export async function startTestIssuer(): Promise<TestIssuer> {
  let number = 0;
  const newKey = async () => ({ id: `key-${++number}`, ...(await generateKeyPair('ES256', { extractable: true })) });
  let current = await newKey();
  const stranger = await newKey();
  let available = true;

  const server = createServer((request, response) => {
    const answer = async (): Promise<object | undefined> => {
      if (request.url === '/.well-known/openid-configuration') return { issuer: url, jwks_uri: `${url}/keys` };
      if (request.url !== '/keys') return undefined;
      return { keys: [{ ...(await exportJWK(current.publicKey)), kid: current.id, alg: 'ES256', use: 'sig' }] };
    };
    void answer().then((body) => {
      response.statusCode = !available ? 500 : body === undefined ? 404 : 200;
      response.setHeader('content-type', 'application/json');
      response.end(JSON.stringify(body ?? {}));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

  return {
    url,
    token: async (wish = {}) => {
      const { claims = {}, issuer = url, audience = AUDIENCE, expiresIn = 3600, notBeforeIn, unknownKey } = wish;
      const now = Math.floor(Date.now() / 1000);
      const key = unknownKey === true ? stranger : current;
      const jwt = new SignJWT({ sub: 'alice', groups: ['sre'], ...claims })
        .setProtectedHeader({ alg: 'ES256', kid: key.id })
        .setIssuer(issuer)
        .setAudience(typeof audience === 'string' ? audience : [...audience]);
      if (expiresIn !== null) jwt.setExpirationTime(now + expiresIn);
      if (notBeforeIn !== undefined) jwt.setNotBefore(now + notBeforeIn);
      return jwt.sign(key.privateKey);
    },
    rotate: async () => {
      current = await newKey();
    },
    get available() {
      return available;
    },
    set available(value) {
      available = value;
    },
    publicKey: () => exportSPKI(current.publicKey),
    close: () => new Promise((resolve) => server.close(() => resolve())),
  };
}
