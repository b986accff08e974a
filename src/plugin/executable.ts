import { main } from './main.js';

// The entry of the single executable, which is CommonJS: nothing is awaited at its top level.
void main();
