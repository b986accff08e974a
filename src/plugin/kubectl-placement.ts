#!/usr/bin/env node
import module from 'node:module';

// Before anything else is loaded. Node.js 22.8 and newer have it: they keep the compiled code in a folder for temporary files.
(module as { readonly enableCompileCache?: () => unknown }).enableCompileCache?.();
const { main } = await import('./main.js');
await main();
