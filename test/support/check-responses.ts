import { afterEach } from '@jest/globals';
import { checkResponses } from './watched-responses.js';

// Runs with every test file: a test fails when the service answered it otherwise than the OpenAPI document says.
afterEach(checkResponses);
