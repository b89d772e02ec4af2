import { defineConfig } from 'rolldown'

/**
 * dist/ is a few dozen files instead of four hundred: reading and linking modules is most of the time that starting takes.
 * What only the service or a run needs stays in its packages and is loaded when it is needed.
 */
export default defineConfig({
  input: { main: 'src/main.ts' },
  platform: 'node',
  external: [/^@duckdb\//, /^@fastify\//, 'fastify', 'pino', 'pino-pretty', 'undici'],
  output: { dir: 'dist', format: 'esm', chunkFileNames: 'chunks/[name]-[hash].js', cleanDir: true },
})
