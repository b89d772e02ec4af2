import type { Position } from '../core/diagnostic.ts'
import { AudienceError } from '../core/errors.ts'
import type { Pipeline } from '../core/pipeline.ts'
import { RECORD_WORDS } from '../core/record-words.ts'
import { createSecrets } from '../core/secrets.ts'
import type { TargetDeps } from './open-target.ts'

type SecretDeps = Pick<TargetDeps, 'env' | 'secrets'>

interface Place {
  readonly in: string
  readonly at?: Position
}

/**
 * From now on, the values of the environment variables that a pipeline names are secrets. Throws `env-not-secret` for a
 * value that also occurs in the document, in its path or among the words that records use, because it would be masked
 * there, too, so the run could not be resumed.
 */
export function protect(pipeline: Pipeline, deps: SecretDeps): void {
  const values = pipeline.env.map((name) => deps.env[name] ?? '')
  // All values are first checked together, because a document may name a hundred variables.
  if (placeOf(values, pipeline)) {
    for (const [index, name] of pipeline.env.entries()) {
      const place = placeOf([values[index] ?? ''], pipeline)
      if (place) throw notSecret(name, place)
    }
  }
  protectRecorded(pipeline, deps)
}

/** Protects the secrets of the document of a recorded run. It checks nothing, because the record cannot change. */
export function protectRecorded({ env: names }: Pipeline, { env, secrets }: SecretDeps): void {
  for (const name of names) secrets.add(env[name] ?? '')
}

/** The other place where one of the values occurs. */
function placeOf(values: readonly string[], { file, text }: Pipeline): Place | undefined {
  const { add, redact } = createSecrets()
  for (const value of values) add(value)
  const isIn = (other: string) => redact(other) !== other
  if (isIn(RECORD_WORDS.join('|'))) return { in: 'among the words of the record format' }
  if (isIn(file)) return { in: `in the path ${file}` }
  return isIn(text) ? { in: 'in the text of the document', at: firstChange(file, text, redact(text)) } : undefined
}

function firstChange(file: string, text: string, masked: string): Position {
  let at = 0
  while (text[at] === masked[at]) at += 1
  const lines = text.slice(0, at).split('\n')
  return { file, line: lines.length, column: (lines.at(-1) ?? '').length + 1 }
}

function notSecret(name: string, place: Place): AudienceError {
  return new AudienceError({
    code: 'env-not-secret',
    kind: 'invalid',
    message: `the value of the environment variable ${name} is also ${place.in}, so it cannot be kept secret`,
    hint: 'make an ordinary setting an input instead; give a secret a value that occurs nowhere else',
    at: place.at,
  })
}
