import type { Pipeline } from '../core/pipeline.ts'

/** The functions with which an expression may convert a text, each with a text that it can convert. */
const CONVERTED: Readonly<Record<string, string>> = { int: '100', double: '0.5', bool: 'true' }

/**
 * Values for the environment variables that pipelines read: with these, a rehearsal is the same everywhere and shows no
 * secret. A variable that becomes a number or a boolean gets one as its value; every other variable gets a URL, which
 * fits wherever a text does. The name of the variable is in the host, because the host is not a secret part of a URL.
 * Documents contain that name anyway.
 */
export function madeUpEnv(pipelines: readonly Pick<Pipeline, 'env' | 'text'>[]): Record<string, string> {
  return Object.fromEntries(pipelines.flatMap(({ env, text }) => env.map((name) => [name, valueFor(name, text)])))
}

function valueFor(name: string, text: string): string {
  const [, to = ''] = new RegExp(`\\b(int|double|bool)\\(\\s*env\\.${name}\\s*\\)`).exec(text) ?? []
  return CONVERTED[to] ?? `https://${name.toLowerCase().replaceAll('_', '-').slice(0, 63)}.example.com`
}
