import { dirname, relative, resolve } from 'node:path'
import { isDate } from '../core/date.ts'
import type { DecodedText } from '../core/decode-text.ts'
import type { Diagnostic } from '../core/diagnostic.ts'
import { closestHint, didYouMean } from '../core/did-you-mean.ts'
import { InvalidDocumentError } from '../core/errors.ts'
import { count } from '../core/format/figures.ts'
import type { JsonSchema } from '../core/json-schema.ts'
import type { Pipeline } from '../core/pipeline.ts'
import { violationsOf } from '../core/validation.ts'
import { DiagnosticCollector } from '../document/diagnostic-collector.ts'
import { childOf, type DocumentNode, entriesOf, itemsOf, textOf } from '../document/document-node.ts'
import { toPlain } from '../document/plain-value.ts'
import { readYaml } from '../document/read-yaml.ts'
import { reportViolations, type ViolationTexts } from '../document/report-violations.ts'
import { isReadable } from '../document/utf8-text.ts'
import { dateHint } from '../expressions/date-functions.ts'
import { validators } from '../generated/validators.ts'
import { reportStrayExpressions } from '../pipeline/check-envelope.ts'
import { ExpressionChecker } from '../pipeline/expression-checker.ts'
import { optionOf } from '../pipeline/read-value.ts'
import { NAME_PATTERN, PERCENT_PATTERN } from '../pipeline/schema-parts.ts'
import { TemplateReader } from '../pipeline/template-reader.ts'
import { PROXY_VARIABLES } from '../platform/proxies.ts'
import { checkChanges } from './check-changes.ts'
import { checkNames } from './evaluate-check.ts'
import { ERROR_CODE_PATTERN, WRITES } from './expectation-schema.ts'
import { readTestEvent } from './read-event.ts'
import { readFileSpecs } from './read-file-specs.ts'
import type { Given, TestCase, TestDocument } from './test-document.ts'
import { existingFile, projectPath, type Reading, type TestDeps } from './test-reading.ts'
import { MOMENT_PATTERN, OPERATION_IDS, testSchema } from './test-schema.ts'

interface TestSource extends DecodedText {
  readonly file: string
}

/** Reads and checks a `*.test.yaml`. Throws InvalidDocumentError with all problems. */
export function readTest(source: TestSource, deps: TestDeps): TestDocument {
  const { test, diagnostics } = loadTest(source, deps)
  if (!test) throw new InvalidDocumentError(source.file, source.text, diagnostics)
  return test
}

/**
 * Reads and checks a `*.test.yaml` without throwing. Returns the test only if there is no error, and all diagnostics in
 * order of position.
 */
export function loadTest(
  source: TestSource,
  deps: TestDeps,
): { readonly test?: TestDocument; readonly diagnostics: readonly Diagnostic[] } {
  const text = source.text.replace(/^\uFEFF/, '')
  const reporter = new DiagnosticCollector(source.file, text)
  const root = rootOf({ ...source, text }, reporter)
  const test = root && { ...readDocument(root, { ...source, text }, deps, reporter), text: source.text }
  const diagnostics = reporter.diagnostics()
  return reporter.hasErrors || !test ? { diagnostics } : { test, diagnostics }
}

function rootOf(source: TestSource, reporter: DiagnosticCollector): DocumentNode | undefined {
  if (!isReadable(source, 'a test', reporter)) return undefined
  const root = readYaml(source.text, reporter, BEGINNING)
  if (!root || root.kind === 'map') return root
  reporter.error({ code: 'wrong-type', message: 'the document is not a map of keys', hint: BEGINNING }, root)
  return undefined
}

const BEGINNING = 'a test begins with test: and the name of a pipeline, such as nightly.yaml'

function readDocument(
  root: DocumentNode,
  { text, file }: TestSource,
  deps: TestDeps,
  reporter: DiagnosticCollector,
): Omit<TestDocument, 'text'> {
  const violations = violationsOf(validators.test, toPlain(root))
  reportViolations({ root, schema: testSchema, violations, texts: textsOf(root) }, reporter)
  reportStrayExpressions(root, testSchema, reporter)
  const folder = dirname(resolve(file))
  const given = childOf(root, 'given')
  const profile = readProfile(childOf(given, 'profile'), deps, reporter)
  const tested = readTested(childOf(root, 'test'), { folder, profile }, { deps, reporter })
  const templates = new TemplateReader(text, reporter)
  const reading: Reading = {
    deps,
    reporter,
    templates,
    folder,
    pipeline: tested.pipeline,
    checker: new ExpressionChecker(templates, reporter),
    names: checkNames(tested.pipeline, deps.stepTypes),
    pipelineFolder: dirname(tested.path),
  }
  const tests = childOf(root, 'tests')
  const document = { given: readGiven(given, profile, reading), tests: readTests(tests, reading) }
  checkChanges(tests, document, reading)
  return { file, pipeline: tested.path, ...document }
}

/** The tested document. If it is not valid, that counts as one problem here. */
function readTested(
  node: DocumentNode | undefined,
  { folder, profile }: { folder: string; profile: string | undefined },
  { deps, reporter }: Pick<Reading, 'deps' | 'reporter'>,
): { readonly path: string; readonly pipeline?: Pipeline | undefined } {
  const name = textOf(node) ?? ''
  const path = node && name !== '' ? projectPath(name, folder, node, { deps, reporter }) : undefined
  if (!node || path === undefined) return { path: resolve(folder, 'pipeline') }
  const found = deps.readPipeline(path, profile)
  if (!found || 'unread' in found) {
    const near = deps.files.namesIn(dirname(path)).filter((one) => /(?<!\.test)\.ya?ml$/.test(one))
    const hint =
      didYouMean(relative(dirname(path), path), near) ?? 'the path is relative to the folder of this document'
    const message = found ? `${name} cannot be read: ${found.unread}` : `there is no pipeline at ${name}`
    reporter.error({ code: 'missing-pipeline', message, hint }, node)
  } else if (!found.pipeline) {
    const errors = found.diagnostics.filter(({ severity }) => severity === 'error')
    const outside = errors.find(({ code }) => code === 'file-not-allowed')
    if (outside) {
      const message = `${name}:${outside.at?.line}:${outside.at?.column} names a file or folder outside the project`
      reporter.error({ code: 'file-not-allowed', message, hint: outside.hint }, node)
    } else {
      const message = `${name} is not valid: ${count(errors.length, 'error')}`
      reporter.error(
        { code: 'invalid-pipeline', message, hint: `audience validate ${relative(deps.root, path)}` },
        node,
      )
    }
  }
  return { path, pipeline: found && 'pipeline' in found ? found.pipeline : undefined }
}

function readProfile(
  node: DocumentNode | undefined,
  { profiles }: TestDeps,
  reporter: DiagnosticCollector,
): string | undefined {
  const name = textOf(node)
  if (!node || name === undefined || name === '' || profiles.includes(name)) return name
  const message = `audience.yaml has no profile ${name}`
  reporter.error({ code: 'unknown-profile', message, hint: didYouMean(name, profiles) }, node)
  return undefined
}

function readGiven(node: DocumentNode | undefined, profile: string | undefined, reading: Reading): Given {
  const service = childOf(node, 'service')
  return {
    from: readMoment(childOf(node, 'from'), reading),
    files: readFileSpecs(childOf(node, 'files'), reading),
    profile,
    env: readEnv(childOf(node, 'env'), reading),
    service: {
      latencies: optionOf(['fast', 'realistic'], childOf(service, 'latencies')) ?? 'fast',
      network: readNetwork(childOf(service, 'network'), reading),
    },
  }
}

function readNetwork(node: DocumentNode | undefined, reading: Reading): string | undefined {
  const path = existingFile(node, reading)
  const [first] = path === undefined ? [] : reading.deps.networkProblems(path)
  if (!node || !first) return path
  const { at, message } = first
  const hint = at && `${relative(reading.folder, at.file)}:${at.line}:${at.column} ${message}`
  reading.reporter.wrongValue(`${textOf(node)} is not a valid network`, node, hint)
  return undefined
}

/** The years in which tests may begin. */
const [FIRST_YEAR, LAST_YEAR] = [2000, 2099]

function readMoment(node: DocumentNode | undefined, { reporter }: Reading): number {
  const text = textOf(node)
  if (!node || text === undefined || !new RegExp(MOMENT_PATTERN).test(text)) return 0
  const day = text.slice(0, 10)
  const ms = isDate(day) ? Date.parse(text === day ? `${day}T00:00Z` : text) : Number.NaN
  const year = Number(day.slice(0, 4))
  const message = Number.isNaN(ms)
    ? `there is no ${isDate(day) ? 'time' : 'day'} ${text}`
    : year < FIRST_YEAR || year > LAST_YEAR
      ? `from must be in the years ${FIRST_YEAR} to ${LAST_YEAR}`
      : undefined
  if (message === undefined) return ms
  reporter.wrongValue(message, node)
  return 0
}

function readEnv(node: DocumentNode | undefined, { reporter }: Reading): Given['env'] {
  for (const [name, { key }] of entriesOf(node)) {
    const isOwn = name.startsWith('AUDIENCE_') || PROXY_VARIABLES.includes(name)
    if (isOwn) {
      const message = `${name} is for audience itself`
      const hint = 'a test reaches no network, and has a state and a service of its own: leave it out'
      reporter.error({ code: 'env-not-allowed', message, hint }, key)
    } else if (!new RegExp(NAME_PATTERN).test(name)) {
      const message = `${JSON.stringify(name)} cannot be the name of an environment variable`
      reporter.error({ code: 'wrong-name', message, hint: 'use letters, digits and _' }, key)
    }
  }
  return Object.fromEntries(entriesOf(node).map(([name, { value }]) => [name, textOf(value) ?? '']))
}

function readTests(node: DocumentNode | undefined, reading: Reading): TestCase[] {
  const { reporter } = reading
  const names = new Set<string>()
  return itemsOf(node).map((test) => {
    const name = childOf(test, 'it')
    const it = textOf(name) ?? ''
    if (name && names.has(it)) {
      const message = `there are two tests "${it}"`
      reporter.error({ code: 'duplicate-id', message, hint: 'say what this one shows' }, name)
    }
    names.add(it)
    const events = itemsOf(childOf(test, 'do')).map((event) => readTestEvent(event, reading))
    return { it, at: reporter.positionOf(name ?? test), events }
  })
}

/** What other tools call the keys, in lower case. */
const SAME_ELSEWHERE: ReadonlyMap<string, readonly string[]> = new Map([
  ['pipeline', ['test']],
  ['document', ['test']],
  ['name', ['it']],
  ['title', ['it']],
  ['description', ['it']],
  ['steps', ['do']],
  ['events', ['do']],
  ['when', ['do']],
  ['then', ['expect']],
  ['assert', ['expect']],
  ['expected', ['expect']],
  ['cases', ['tests']],
  ['now', ['from']],
  ['date', ['from']],
  ['start', ['from', 'run']],
  ['sleep', ['wait']],
  ['days', ['nights']],
  ['rows', ['people']],
  ['unknown', ['others']],
  ['asserts', ['check']],
])

function textsOf(root: DocumentNode): ViolationTexts {
  const events = itemsOf(childOf(root, 'tests')).flatMap((test) => itemsOf(childOf(test, 'do')))
  const runs = new Set(events.map((event) => childOf(event, 'run')))
  return {
    ...TEXTS,
    misplaced(key, map) {
      if (runs.has(map)) return `write it under inputs: { ${key}: … }`
      const isRead = OPERATION_IDS.some((id) => id === key) && !WRITES.includes(key)
      const isAmongWrites = entriesOf(map).every(([name]) => OPERATION_IDS.some((id) => id === name))
      return isRead && isAmongWrites ? `${key} only reads: leave it out` : undefined
    },
  }
}

const RUN: JsonSchema = testSchema.properties.tests.items.properties.do.items.properties.run

const TEXTS: ViolationTexts = {
  top: 'at the top of a test',
  patterns: {
    [MOMENT_PATTERN]: 'must be a day such as 2026-10-20, or a time with its offset such as 2026-10-20T01:30:00+02:00',
    [PERCENT_PATTERN]: 'must be a count, or a share of the people such as 3%',
    [ERROR_CODE_PATTERN]: 'must be the code of an error such as job-failed, or a map',
  },
  hint(value, place) {
    if (value === null && place === RUN) return 'write run: {}'
    if (typeof value !== 'string') return undefined
    if (place.pattern === MOMENT_PATTERN)
      return /T\d\d:\d\d/.test(value) ? 'give its offset: Z or +02:00' : dateHint(value)
    if (!place.enum?.includes(OPERATION_IDS[0])) return undefined
    return closestHint(value, OPERATION_IDS) ?? 'docs/reference/operations.md lists them'
  },
  meant(key, map, names) {
    const meant = SAME_ELSEWHERE.get(key.toLowerCase()) ?? []
    return meant.find((name) => names.includes(name) && !childOf(map, name))
  },
}
