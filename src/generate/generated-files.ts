import { makeProgram } from '../cli/program.ts'
import { processTerminal, withoutSecrets } from '../cli/terminal.ts'
import { configSchema } from '../config/config-schema.ts'
import { consoleOpenApi } from '../console/api/open-api.ts'
import { isOperationId, operations } from '../contract/operations.ts'
import { EXIT_CODES } from '../core/errors.ts'
import { stringifyJson } from '../core/json.ts'
import { METRICS } from '../daemon/metrics/definitions.ts'
import { diagnosticCodes } from '../document/diagnostic-codes.ts'
import { dateFunctions } from '../expressions/date-functions.ts'
import { functions } from '../expressions/functions.ts'
import { numberFunctions } from '../expressions/number-functions.ts'
import { textFunctions } from '../expressions/text-functions.ts'
import { timePartFunctions } from '../expressions/time-part-functions.ts'
import { documentSchema } from '../pipeline/document-schema.ts'
import { pipelineSchema } from '../pipeline/pipeline-schema.ts'
import { simulationSchema } from '../rehearsal/simulation/simulation-schema.ts'
import { testSchema } from '../rehearsal/test-schema.ts'
import { controlOperations } from '../service/control/control-operations.ts'
import { stepTypes } from '../steps/index.ts'
import { commandHelp, commandsPage } from './commands-page.ts'
import { controlPage } from './control-page.ts'
import { dashboard } from './dashboard.ts'
import { withLimits } from './describe-schema.ts'
import { documentPage } from './document-page.ts'
import { expressionsPage } from './expressions-page.ts'
import { serviceOpenApi } from './openapi.ts'
import { operationsIndexPage, operationsPage } from './operations-pages.ts'
import { operationsByResource } from './resources.ts'
import { stepTypesPage } from './step-types-page.ts'
import { diagnosticsPage, exitCodesPage, metricsPage } from './table-pages.ts'

/** A file that is derived from the code and committed. */
export interface GeneratedFile {
  /** Relative to the root of the repository. */
  readonly path: string
  readonly text: string
}

/** Every committed file that is generated from the code. `npm run generate` writes them; a test compares them. */
export async function generatedFiles(): Promise<GeneratedFile[]> {
  const resources = operationsByResource(operations)
  const terminal = withoutSecrets(processTerminal())
  const printing = (output: Parameters<typeof makeProgram>[0]['output']) =>
    makeProgram({ terminal, finish: () => {}, isNeeded: () => true, output })
  return [
    { path: 'schemas/openapi.json', text: jsonText(serviceOpenApi(operations)) },
    { path: 'schemas/console-openapi.json', text: jsonText(consoleOpenApi()) },
    { path: 'schemas/pipeline.schema.json', text: jsonText(withLimits(pipelineSchema(stepTypes))) },
    { path: 'schemas/config.schema.json', text: jsonText(configSchema) },
    { path: 'schemas/test.schema.json', text: jsonText(testSchema) },
    { path: 'schemas/simulation.schema.json', text: jsonText(simulationSchema) },
    { path: 'docs/reference/operations.md', text: operationsIndexPage(resources) },
    ...resources.map((resource) => ({
      path: `docs/reference/operations/${resource.name}.md`,
      text: operationsPage(resource, resources, stepTypes),
    })),
    { path: 'docs/reference/step-types.md', text: stepTypesPage([...stepTypes.values()], isOperationId) },
    { path: 'docs/reference/pipeline.md', text: documentPage('Pipeline documents', PIPELINE_INTRO, documentSchema) },
    { path: 'docs/reference/test-files.md', text: documentPage('Test files', TEST_INTRO, testSchema) },
    { path: 'docs/reference/expressions.md', text: expressionsPage(functionGroups()) },
    { path: 'docs/reference/diagnostics.md', text: diagnosticsPage(diagnosticCodes) },
    { path: 'docs/reference/commands.md', text: commandsPage(await commandHelp(printing)) },
    { path: 'docs/reference/configuration.md', text: documentPage('Configuration', CONFIGURATION_INTRO, configSchema) },
    { path: 'deploy/grafana/audience.json', text: jsonText(dashboard()) },
    { path: 'docs/reference/metrics.md', text: metricsPage(METRICS) },
    { path: 'docs/reference/control-api.md', text: controlPage(controlOperations) },
    { path: 'docs/reference/exit-codes.md', text: exitCodesPage(EXIT_CODES) },
  ]
}

function functionGroups() {
  const special = new Set([...textFunctions, ...dateFunctions, ...numberFunctions, ...timePartFunctions])
  return [
    { title: 'Functions on values, lists and the run', functions: functions.filter((one) => !special.has(one)) },
    { title: 'Functions on text', functions: textFunctions },
    { title: 'Functions on numbers', functions: numberFunctions },
    { title: 'Functions on dates and times', functions: [...dateFunctions, ...timePartFunctions] },
  ]
}

function jsonText(value: unknown): string {
  return `${stringifyJson(value, { indent: 2 })}\n`
}

const PIPELINE_INTRO = [
  'These are the keys of a pipeline document, format version 1. [Step types](step-types.md) lists what `uses` can name.',
  'The schema for editors: [schemas/pipeline.schema.json](../../schemas/pipeline.schema.json).',
].join('\n')

const CONFIGURATION_INTRO = [
  'These are the keys of `audience.yaml`; none of them is required. Commands look for the file from the working directory upwards.',
  'The schema for editors: [schemas/config.schema.json](../../schemas/config.schema.json).',
].join('\n')

const TEST_INTRO = [
  'These are the keys of a `*.test.yaml`, which is the test of a pipeline and is beside that pipeline. `audience validate` checks it.',
  'The schema for editors: [schemas/test.schema.json](../../schemas/test.schema.json).',
].join('\n')
