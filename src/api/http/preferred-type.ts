import { ServiceError } from '../../app/errors/service-error.js';

/**
 * Selects the offered media type that a caller prefers, by its `Accept` header: the one with the highest weight. Of
 * equal ones, or if none is accepted, it is the first one offered.
 *
 * Ignores parameters other than `q`. Source: RFC 9110, section 12.5.1.
 */
export function preferredType<Offer extends string>(
  accept: string | undefined,
  offers: readonly [Offer, ...Offer[]],
): Offer {
  return bestType(accept, offers) ?? offers[0];
}

/**
 * Like `preferredType`, but rejects a caller that accepts none of the types.
 * @throws {ServiceError} `not-acceptable`
 */
export function acceptedType<Offer extends string>(
  accept: string | undefined,
  offers: readonly [Offer, ...Offer[]],
): Offer {
  const best = bestType(accept, offers);
  if (best !== undefined) return best;
  throw new ServiceError(
    'not-acceptable',
    `The response is not available as ${JSON.stringify((accept ?? '').slice(0, 200))}. Available types: ${offers.join(', ')}.`,
  );
}

function bestType<Offer extends string>(accept: string | undefined, offers: readonly Offer[]): Offer | undefined {
  const ranges = (accept ?? '*/*').split(',').map(readRange);
  let best: { readonly offer?: Offer; readonly weight: number } = { weight: 0 };
  for (const offer of offers) {
    const weight = weightOf(offer, ranges);
    if (weight > best.weight) best = { offer, weight };
  }
  return best.offer;
}

interface MediaRange {
  readonly range: string;
  readonly weight: number;
}

function readRange(text: string): MediaRange {
  const [range = '', ...parameters] = text.split(';').map((part) => part.trim().toLowerCase());
  const q = parameters.find((parameter) => parameter.startsWith('q='));
  const weight = q === undefined ? 1 : Number(q.slice(2));
  return { range, weight: weight >= 0 && weight <= 1 ? weight : 0 };
}

/** The weight of the most specific range that matches the type. */
function weightOf(type: string, ranges: readonly MediaRange[]): number {
  const [main = ''] = type.split('/');
  for (const covering of [type, `${main}/*`, '*/*']) {
    const found = ranges.find(({ range }) => range === covering);
    if (found !== undefined) return found.weight;
  }
  return 0;
}
