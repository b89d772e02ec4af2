import type { Pipeline } from './pipeline.ts'

/**
 * The environment variables that a document names and that are set. Its expressions see no others. A variable that
 * throws when it is read, because the policy forbids it, still throws.
 */
export function visibleEnv(
  pipeline: Pick<Pipeline, 'env'>,
  env: Readonly<Record<string, string | undefined>>,
): Record<string, string> {
  const visible: Record<string, string> = {}
  for (const name of pipeline.env) {
    const known = Object.getOwnPropertyDescriptor(env, name)
    if (known?.get) Object.defineProperty(visible, name, known)
    else if (known?.value !== undefined) visible[name] = known.value
  }
  return visible
}
