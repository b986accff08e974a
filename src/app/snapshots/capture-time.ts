import { InvalidRequestError } from '../errors/invalid-request-error.js';
import type { ErrorDetail } from '../errors/service-error.js';

/** How far a client's clock may be ahead, in milliseconds. */
export const CLOCK_TOLERANCE = 5 * 60_000;

/** The error for a capture time in the future. */
export function futureCapture(capturedAt: Date | null, now: Date): ErrorDetail[] {
  if (capturedAt === null || capturedAt.getTime() <= now.getTime() + CLOCK_TOLERANCE) return [];
  return [
    {
      field: 'capturedAt',
      code: 'in-the-future',
      message: `must not be in the future: the server time is ${now.toISOString()}`,
    },
  ];
}

/** @throws {InvalidRequestError} for a time in the future */
export function checkCaptureTime(capturedAt: Date | null, now: Date): void {
  const details = futureCapture(capturedAt, now);
  if (details.length > 0) throw new InvalidRequestError(details);
}
