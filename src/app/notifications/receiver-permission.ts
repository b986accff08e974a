import type { IncomingHttpHeaders } from 'node:http';
import type { RuleDetails } from './given-rule.js';
import { ReceiverUnreachable, type Receiver, type ReceiverClient } from './receiver-client.js';

/** Whether a receiver permits deliveries, by its own word. */
export interface ReceiverPermission {
  /**
   * - `granted`, `notGranted`: by its answer; a receiver that does not know the question has not granted it;
   * - `unanswered`: it did not answer;
   * - `notAsked`: the service does not know under which name it sends.
   */
  readonly state: 'granted' | 'notGranted' | 'unanswered' | 'notAsked';
  /** The name under which the service sends. */
  readonly origin: string | null;
  /** Deliveries in a minute; null: any. */
  readonly allowedRate: number | null;
  /** Why it is not granted. */
  readonly message: string | null;
  readonly askedAt: string;
}

/** Deliveries in a minute that are asked for. */
const REQUESTED_RATE = 120;

/** The name under which the service sends: the host of its public URL. */
export const originOf = (publicUrl: string | undefined): string | undefined =>
  publicUrl === undefined ? undefined : new URL(publicUrl).hostname;

/**
 * Asks a receiver of CloudEvents for its permission, which others are not asked for.
 *
 * Source: HTTP 1.1 Web Hooks for Event Delivery 1.0.1, 4. A receiver permits deliveries by headers alone: the status says nothing.
 */
export async function askPermission(
  client: Pick<ReceiverClient, 'ask'>,
  receiver: Receiver,
  {
    format,
    publicUrl,
    now,
  }: Pick<RuleDetails, 'format'> & { readonly publicUrl: string | undefined; readonly now: Date },
): Promise<ReceiverPermission | null> {
  if (format !== 'cloudevents') return null;
  const origin = originOf(publicUrl);
  const asked = { origin: origin ?? null, allowedRate: null, askedAt: now.toISOString() };
  if (origin === undefined) {
    return { ...asked, state: 'notAsked', message: 'PUBLIC_URL is not set, so the service has no name to ask under' };
  }
  try {
    const { status, headers } = await client.ask(receiver, {
      'webhook-request-origin': origin,
      'webhook-request-rate': String(REQUESTED_RATE),
    });
    const message = whyNot(status, headers, origin);
    if (message !== null) return { ...asked, state: 'notGranted', message };
    return { ...asked, state: 'granted', allowedRate: rateIn(headers), message: null };
  } catch (error) {
    if (!(error instanceof ReceiverUnreachable)) throw error;
    return { ...asked, state: 'unanswered', message: error.message };
  }
}

const MOST_QUOTED = 200;

function whyNot(status: number, headers: IncomingHttpHeaders, origin: string): string | null {
  const allowed = textIn(headers, 'webhook-allowed-origin');
  if (allowed === undefined) return `the receiver answered ${status} without the header WebHook-Allowed-Origin`;
  if (allowed === '*' || allowed.toLowerCase() === origin.toLowerCase()) return null;
  return `the receiver allows ${JSON.stringify(allowed.slice(0, MOST_QUOTED))}, not ${origin}`;
}

function rateIn(headers: IncomingHttpHeaders): number | null {
  const rate = textIn(headers, 'webhook-allowed-rate');
  return rate !== undefined && /^0*[1-9]\d{0,8}$/.test(rate) ? Number(rate) : null;
}

function textIn(headers: IncomingHttpHeaders, name: string): string | undefined {
  const value = headers[name];
  return (typeof value === 'object' ? value[0] : value)?.trim();
}
