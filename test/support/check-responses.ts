import { afterEach } from '@jest/globals';
import { checkResponses } from './watched-responses.js';

// Runs with every test file: a test fails if a response of the service differs from the OpenAPI document.
afterEach(checkResponses);
