import { defineConfig } from 'rolldown'
import { consoleClient } from './rolldown.console.mjs'

/**
 * V8 keeps the source of a module in memory, with two bytes a character as soon as one of them is not ASCII. So those are
 * written as escapes, which mean the same in texts, templates and regular expressions. The `source` of an expression is
 * another text then: what gives it to DuckDB uses `patternSql`.
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
 * What commands load together is one file: finding, reading and linking modules is much of the time that starting takes.
 * A layer holds the modules that match and all that they import statically, except what an earlier layer has. So it
 * imports earlier layers only. An early layer is small, or every later one would be loaded by commands that do not need it.
 */
const LAYERS = [
  // What src/main.ts loads before Node keeps compiled code. What this layer imports is compiled again at each start.
  ['first', /\/src\/(cli\/version|platform\/compiled-code-folder)\.ts$/],
  ['core', /\/src\/core\//],
  ['command', /\/src\/cli\/(run-command-line|options|integer-option|duration-option|signed)\.ts$/],
  ['settings', /\/src\/cli\/(settings-of|open-log)\.ts$/],
  ['documents', /\/src\/cli\/validate-documents\.ts$/],
  ['history', /\/src\/cli\/(runs\/list|runs\/show|show-status)\.ts$/],
  ['work', /\/src\/(app\/app|triggers\/watch\/place-file)\.ts$/],
  ['duties', /\/src\/app\/start-duties\.ts$/],
  ['service', /\/src\/(app\/open-embedded-service|service\/start-service)\.ts$/],
]

/**
 * Packages with programs for this machine stay outside dist/, and optional ones.
 * @type {import('rolldown').InputOptions}
 */
export const program = {
  platform: 'node',
  external: ['@duckdb/node-bindings', 'pino-pretty', 'pg', '@aws-sdk/client-s3', /^@dbos-inc\/dbos-sdk/],
  plugins: [asciiOnly],
}

const command = {
  ...program,
  // The processes of test files and simulations have the same code in them.
  input: {
    main: 'src/main.ts',
    'test-worker': 'src/rehearsal/test-worker.ts',
    'simulation-worker': 'src/rehearsal/simulation-worker.ts',
  },
  output: {
    dir: 'dist',
    format: 'esm',
    chunkFileNames: 'chunks/[name]-[hash].js',
    cleanDir: true,
    codeSplitting: { groups: LAYERS.map(([name, test], at) => ({ name, test, priority: LAYERS.length - at })) },
  },
}

/** A thread has a heap of its own, and loads again what it imports: from the layers that would be 13 MB more. */
const readWorker = {
  ...program,
  input: 'src/app/read-worker.ts',
  output: { dir: 'dist', format: 'esm', chunkFileNames: 'chunks/read-worker/[name]-[hash].js' },
}

/** The process of a list loads DuckDB, and nothing of the layers. */
const sandbox = {
  ...program,
  input: 'src/lists/sandbox-process.ts',
  output: { dir: 'dist', format: 'esm', chunkFileNames: 'chunks/sandbox-process/[name]-[hash].js' },
}

/** In this order: the first one empties dist/. */
export default defineConfig([command, readWorker, sandbox, consoleClient])
