import { join } from 'node:path'
import { defineConfig } from 'vitest/config'

export default defineConfig({
  root: join(import.meta.dirname, '../../../..'),
  test: {
    include: ['test/remote/s3/any-store/any-store.suite.ts'],
    // Ten thousand objects over a real network.
    testTimeout: 1_800_000,
    hookTimeout: 1_800_000,
  },
})
