import { readFileSync } from 'node:fs'
import { Argument } from 'commander'
import { AudienceCommand, type CommandSetting } from './command.ts'
import type { Terminal } from './terminal.ts'

const FILES = {
  pipeline: 'pipeline.schema.json',
  test: 'test.schema.json',
  config: 'config.schema.json',
  simulation: 'simulation.schema.json',
  openapi: 'openapi.json',
  console: 'console-openapi.json',
} as const

/** `audience schema [NAME]`. */
export function schemaCommand(setting: CommandSetting): AudienceCommand {
  return new AudienceCommand('schema', setting)
    .description(
      'Prints a schema for editors and tools: for pipelines, their tests, audience.yaml or the output of `simulate --format json`. It also prints the OpenAPI files of the service and of the console.',
    )
    .addArgument(new Argument('[name]', 'which one').choices(Object.keys(FILES)).default('pipeline'))
    .addHelpText('after', '\nExample:\n  audience schema pipeline > pipeline.schema.json\n')
    .calls(async () => printSchema)
}

function printSchema(name: keyof typeof FILES, _flags: object, { out }: Terminal): number {
  out.write(readFileSync(new URL(`../../schemas/${FILES[name]}`, import.meta.url), 'utf8'))
  return 0
}
