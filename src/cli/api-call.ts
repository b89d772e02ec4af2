import { openClient } from '../app/open-client.ts'
import { type OperationId, operationOf } from '../contract/operations.ts'
import { type Json, stringifyJson } from '../core/json.ts'
import type { JsonSchema } from '../core/json-schema.ts'
import { jsonLine, printableJson } from '../core/printable.ts'
import { policyError } from '../policy/enforce.ts'
import { unpreparedProblem } from '../policy/prepared-file.ts'
import { openLog } from './open-log.ts'
import { settingsOf } from './settings-of.ts'
import type { Terminal } from './terminal.ts'

export interface ApiFlags {
  readonly all?: true
  readonly profile?: string
  readonly logLevel: string
  /** The operation's fields, as text. */
  readonly [field: string]: unknown
}

/** Calls an operation and prints the response; with `--all`, each item of a list as it arrives. */
export async function callApi(id: OperationId, flags: ApiFlags, terminal: Terminal): Promise<number> {
  const { env, out, err, secrets, surroundings } = terminal
  const settings = settingsOf(terminal, { profile: flags.profile })
  const unprepared = id === 'files.upload' && unpreparedProblem(settings.policy)
  if (unprepared) throw policyError(unprepared)
  const log = await openLog(terminal, flags.logLevel)
  const client = await openClient({
    settings,
    env,
    log,
    secrets,
    surroundings,
    notice: (text) => err.write(`${text}\n`),
  })
  try {
    const input = inputOf(id, flags)
    if (flags.all) {
      terminal.whenUnread('end')
      for await (const item of client.api.untyped.items(id, input)) out.write(`${jsonLine(item)}\n`)
    } else {
      const answer = await client.api.untyped.call(id, input)
      if (answer !== undefined) out.write(`${printableJson(stringifyJson(answer, { indent: 2 }))}\n`)
    }
    return 0
  } finally {
    await client.close()
  }
}

/** Parses fields from text. A value that does not parse as its type stays text, and the contract refuses it. */
function inputOf(id: OperationId, flags: ApiFlags): Record<string, Json> {
  const input: Record<string, Json> = {}
  for (const [name, schema] of Object.entries<JsonSchema>(operationOf(id).input.properties)) {
    const given = flags[name]
    if (Array.isArray(given)) input[name] = given.map((text: string) => fieldValue(text, schema.items ?? {}))
    else if (typeof given === 'string') input[name] = fieldValue(given, schema)
  }
  return input
}

function fieldValue(text: string, schema: JsonSchema): Json {
  const types = [schema.type ?? []].flat()
  const isNumber =
    types.includes('integer') || types.includes('number') || schema.enum?.some((value) => typeof value === 'number')
  if (isNumber && /^-?\d+(\.\d+)?$/.test(text)) return Number(text)
  if (types.includes('boolean') && (text === 'true' || text === 'false')) return text === 'true'
  return types.includes('null') && text === 'null' ? null : text
}
