import { exportJWK, exportSPKI, generateKeyPair, SignJWT, type JWTPayload } from 'jose';
import { createHash } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';

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

/** The client that logs people in, and its secret. */
export const CLIENT = { id: 'dashboard', secret: 'of the client' };

/** A real identity provider on this machine: a discovery document, a key set, signed tokens, and logins of whoever `user` is. */
export interface TestIssuer {
  readonly url: string;
  /** Who logs in: the claims of the ID token; undefined: nobody, the login is denied. */
  user: JWTPayload | undefined;
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
  let user: JWTPayload | undefined = { sub: 'alice', groups: ['sre'] };
  const codes = new Map<string, { readonly nonce: string; readonly challenge: string; readonly redirect: string }>();

  /** RFC 6749, section 4.1.1: the user agrees at once. */
  const authorize = ({ searchParams }: URL): string => {
    const back = new URL(searchParams.get('redirect_uri')!);
    back.searchParams.set('state', searchParams.get('state')!);
    if (user === undefined || searchParams.get('client_id') !== CLIENT.id) {
      back.searchParams.set('error', 'access_denied');
    } else {
      const code = `code-${++number}`;
      const [nonce, challenge] = [searchParams.get('nonce')!, searchParams.get('code_challenge')!];
      codes.set(code, { nonce, challenge, redirect: searchParams.get('redirect_uri')! });
      back.searchParams.set('code', code);
    }
    return back.href;
  };
  /** RFC 6749, section 4.1.3, and RFC 7636, section 4.6. A code is good once. */
  const exchange = async (form: URLSearchParams): Promise<object> => {
    const given = codes.get(form.get('code') ?? '');
    codes.delete(form.get('code') ?? '');
    const challenge = createHash('sha256')
      .update(form.get('code_verifier') ?? '')
      .digest('base64url');
    const isClient = form.get('client_id') === CLIENT.id && form.get('client_secret') === CLIENT.secret;
    if (!isClient || given?.challenge !== challenge || given.redirect !== form.get('redirect_uri')) {
      return { error: 'invalid_grant' };
    }
    const now = Math.floor(Date.now() / 1000);
    const token = new SignJWT({ ...user, nonce: given.nonce })
      .setProtectedHeader({ alg: 'ES256', kid: current.id })
      .setIssuer(url)
      .setAudience(CLIENT.id)
      .setIssuedAt(now)
      .setExpirationTime(now + 300);
    return { access_token: 'of no use', token_type: 'Bearer', id_token: await token.sign(current.privateKey) };
  };

  const server = createServer((request, response) => {
    const asked = new URL(request.url ?? '/', url);
    if (available && asked.pathname === '/authorize') {
      response.writeHead(302, { location: authorize(asked) }).end();
      return;
    }
    const answer = async (): Promise<object | undefined> => {
      if (request.url === '/.well-known/openid-configuration') {
        return {
          issuer: url,
          jwks_uri: `${url}/keys`,
          authorization_endpoint: `${url}/authorize`,
          token_endpoint: `${url}/token`,
          id_token_signing_alg_values_supported: ['ES256'],
        };
      }
      if (request.url === '/token') return exchange(new URLSearchParams(await text(request)));
      if (request.url !== '/keys') return undefined;
      return { keys: [{ ...(await exportJWK(current.publicKey)), kid: current.id, alg: 'ES256', use: 'sig' }] };
    };
    void answer().then((body) => {
      response.statusCode = !available ? 500 : body === undefined ? 404 : 'error' in body ? 400 : 200;
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
    get user() {
      return user;
    },
    set user(value) {
      user = value;
    },
    publicKey: () => exportSPKI(current.publicKey),
    close: () => new Promise((resolve) => server.close(() => resolve())),
  };
}
