import { afterEach } from '@jest/globals';
import { checkResponses } from './watched-responses.js';

// For every test of a file that can start a service: it fails if a response of the service differs from the OpenAPI document.
afterEach(checkResponses);
