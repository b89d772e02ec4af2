import { Option } from 'commander'
import type { Operation } from '../contract/operation.ts'
import { type OperationId, operations } from '../contract/operations.ts'
import type { JsonSchema } from '../core/json-schema.ts'
import type { ApiFlags } from './api-call.ts'
import { AudienceCommand, type CommandSetting } from './command.ts'
import { LOG_LEVEL_OPTION, PROFILE_OPTION } from './options.ts'
import type { Terminal } from './terminal.ts'

/** `audience api OPERATION`: one command per operation, with an option for each of its fields. */
export function apiCommand(setting: CommandSetting): AudienceCommand {
  const api = new AudienceCommand('api', setting)
    .description('Calls an operation of the Audience Data Service and prints its answer as JSON.')
    .examples(`
  audience api groups.get --id 9001
  audience api segments.list --uploadSignal EMAIL --all
  audience api files.upload --file list.csv --uploadSignal EMAIL --resultContent BGID

Exit codes: 0 done; with --all: every item that existed the whole time is printed. 1 refused, or the whole list cannot be read, because others keep changing it or it is too long; what was printed exists, but there may be more.
`)
  for (const [id, operation] of Object.entries<Operation>(operations)) {
    api.addCommand(operationCommand(id as OperationId, operation, setting))
  }
  return api
}

function operationCommand(id: OperationId, operation: Operation, setting: CommandSetting): AudienceCommand {
  const { summary, description, input, list } = operation
  const command = new AudienceCommand(id, setting)
    .summary(summary)
    .description([summary, description].filter(Boolean).join('\n\n'))
  for (const [name, schema] of Object.entries(input.properties)) {
    command.addOption(fieldOption(name, schema, { required: input.required?.includes(name) ?? false }))
  }
  if (list) command.option('--all', 'every item of every page, one JSON object per line')
  command
    .option(...PROFILE_OPTION)
    .option(...LOG_LEVEL_OPTION)
    .calls(async () => {
      const { callApi } = await import('./api-call.ts')
      return (flags: ApiFlags, terminal: Terminal) => callApi(id, flags, terminal)
    })
  return command
}

function fieldOption(name: string, schema: JsonSchema, { required }: { required: boolean }): Option {
  const isList = schema.type === 'array'
  const option = new Option(
    `--${name} <${isList ? 'value...' : 'value'}>`,
    [schema.description, required && '(required)'].filter(Boolean).join(' '),
  )
  const values = isList ? undefined : schema.enum
  if (values) option.choices(values.map(String))
  if (schema.type === 'boolean') option.choices(['true', 'false'])
  return option.makeOptionMandatory(required)
}
