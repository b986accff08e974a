import { ServiceError } from '../errors/service-error.js';

/** @param oldest the oldest revision that is stored */
export function resumeGone(oldest: number): ServiceError {
  return new ServiceError(
    'resume-gone',
    `Revisions before ${oldest} were removed, so their events cannot be sent; the oldest revision to resume from is ` +
      `${oldest - 1}. Read the state of the cluster, and follow it from that revision.`,
  );
}
