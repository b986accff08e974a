import { ServiceError } from '../../app/errors/service-error.js';
import type { IdentityProviderUnavailableError } from '../../auth/authentication-error.js';

const RETRY_AFTER_SECONDS = 5;

/** The identity provider cannot be reached: the caller retries, nobody is logged out. */
export const providerUnavailable = ({ message, cause }: IdentityProviderUnavailableError): ServiceError =>
  new ServiceError('identity-provider-unavailable', message, { cause, retryAfterSeconds: RETRY_AFTER_SECONDS });
