import react from '@vitejs/plugin-react';
import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vite';

/** The built files refer to each other relatively: the service may be behind any path prefix. */
export default defineConfig({
  base: './',
  plugins: [react()],
  // GraphiQL needs an older React, which is the one at the root.
  resolve: {
    dedupe: ['react', 'react-dom'],
    alias: { 'kube-placement-client': fileURLToPath(new URL('../clients/typescript/src/index.ts', import.meta.url)) },
  },
  build: {
    outDir: '../dist/dashboard',
    emptyOutDir: true,
    target: 'es2022',
    // Files of their own: the Content-Security-Policy forbids data in scripts and styles.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
  },
  server: {
    // `npm run dev -w dashboard` next to a running service.
    proxy: { '/api': process.env['SERVICE_URL'] ?? 'http://127.0.0.1:3000' },
  },
});
