import type { FastifyReply, FastifyRequest } from 'fastify';
import type { PendingLogin } from '../../auth/oidc-login.js';

/** How long somebody may take at the identity provider, in seconds. */
const LOGIN_SECONDS = 600;
const MAX_LENGTH = 4096;

/**
 * The cookies of browsers. Scripts cannot read them. A browser sends the session's only with requests of the service's own pages,
 * and the other one also when the identity provider sends it back.
 */
export class SessionCookies {
  private readonly session: string;
  private readonly login: string;

  /** @param isSecure whether the service's public URL is HTTPS; then no other host and no plain HTTP can set them */
  constructor(private readonly isSecure: boolean) {
    const prefix = isSecure ? '__Host-' : '';
    this.session = `${prefix}kube-placement-session`;
    this.login = `${prefix}kube-placement-login`;
  }

  sessionOf(request: FastifyRequest): string | undefined {
    return valueOf(request, this.session);
  }

  setSession(reply: FastifyReply, id: string, expiresAt: Date): void {
    this.set(reply, this.session, id, `SameSite=Strict; Expires=${expiresAt.toUTCString()}`);
  }

  clearSession(reply: FastifyReply): void {
    this.set(reply, this.session, '', 'SameSite=Strict; Max-Age=0');
  }

  /** Undefined if there is none, or it is not one of these. */
  loginOf(request: FastifyRequest): PendingLogin | undefined {
    const value = valueOf(request, this.login);
    if (value === undefined) return undefined;
    try {
      const read = JSON.parse(Buffer.from(value, 'base64url').toString()) as Partial<PendingLogin>;
      const { state, nonce, verifier, returnTo } = read;
      const members = [state, nonce, verifier, returnTo];
      return members.every((member) => typeof member === 'string') ? (read as PendingLogin) : undefined;
    } catch {
      return undefined;
    }
  }

  setLogin(reply: FastifyReply, pending: PendingLogin): void {
    const value = Buffer.from(JSON.stringify(pending)).toString('base64url');
    this.set(reply, this.login, value, `SameSite=Lax; Max-Age=${LOGIN_SECONDS}`);
  }

  clearLogin(reply: FastifyReply): void {
    this.set(reply, this.login, '', 'SameSite=Lax; Max-Age=0');
  }

  private set(reply: FastifyReply, name: string, value: string, attributes: string): void {
    const secure = this.isSecure ? '; Secure' : '';
    reply.header('set-cookie', `${name}=${value}; Path=/; HttpOnly; ${attributes}${secure}`);
  }
}

/** RFC 6265, section 4.2. A cookie that is there twice counts as none: another one may have been slipped in. */
function valueOf({ headers: { cookie } }: FastifyRequest, name: string): string | undefined {
  const values = (cookie ?? '').split(';').flatMap((pair) => {
    const at = pair.indexOf('=');
    return at >= 0 && pair.slice(0, at).trim() === name ? [pair.slice(at + 1).trim()] : [];
  });
  const [value] = values;
  return values.length === 1 && value !== '' && value!.length <= MAX_LENGTH ? value : undefined;
}
