import { defineConfig } from 'rolldown'

/**
 * dist/ is a few dozen files instead of a thousand: finding, reading and linking modules is most of the time that starting
 * takes. Packages with programs for this machine stay outside.
 */
export default defineConfig({
  input: { main: 'src/main.ts', 'read-worker': 'src/state/sqlite/read-worker.ts' },
  platform: 'node',
  external: ['@duckdb/node-bindings', 'pino-pretty'],
  output: { dir: 'dist', format: 'esm', chunkFileNames: 'chunks/[name]-[hash].js', cleanDir: true },
})
