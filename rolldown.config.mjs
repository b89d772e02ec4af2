import { defineConfig } from 'rolldown'
import { consoleClient } from './rolldown.console.mjs'

/**
 * V8 keeps the source of a module in memory, with two bytes a character as soon as one of them is not ASCII. So those are
 * written as escapes, which mean the same in texts, templates and regular expressions.
 */
const asciiOnly = {
  name: 'ascii-only',
  generateBundle(_options, bundle) {
    for (const chunk of Object.values(bundle))
      if (chunk.type === 'chunk') chunk.code = chunk.code.replaceAll(/[^\0-\x7f]/g, escaped)
  },
}

function escaped(unit) {
  return `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`
}

/**
 * dist/ is a few dozen files instead of a thousand: finding, reading and linking modules is most of the time that starting
 * takes. Packages with programs for this machine stay outside, and optional ones.
 */
const product = {
  input: { main: 'src/main.ts', 'read-worker': 'src/app/read-worker.ts' },
  platform: 'node',
  external: ['@duckdb/node-bindings', 'pino-pretty', 'pg', /^@dbos-inc\/dbos-sdk/],
  plugins: [asciiOnly],
  output: { dir: 'dist', format: 'esm', chunkFileNames: 'chunks/[name]-[hash].js', cleanDir: true },
}

/** In this order: the first one empties dist/. */
export default defineConfig([product, consoleClient])
