import type { Pipeline } from './pipeline.ts'

/** The environment variables that a document names and that are set. Its expressions see no others. */
export function visibleEnv(
  pipeline: Pick<Pipeline, 'env'>,
  env: Readonly<Record<string, string | undefined>>,
): Record<string, string> {
  return Object.fromEntries(
    pipeline.env.flatMap((name) => {
      const value = env[name]
      return value === undefined ? [] : [[name, value]]
    }),
  )
}
