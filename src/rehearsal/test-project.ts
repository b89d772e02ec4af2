import { dirname } from 'node:path'
import { documentSettings } from '../config/load-settings.ts'
import { readConfig } from '../config/read-config.ts'
import { decodeText } from '../core/decode-text.ts'
import type { Diagnostic } from '../core/diagnostic.ts'
import { type AudienceError, InvalidDocumentError, usageError } from '../core/errors.ts'
import { messageOf } from '../core/message-of.ts'
import { optOutPath } from '../core/privacy.ts'
import { LOCAL_PROFILE } from '../core/service-ref.ts'
import { documentAt } from '../daemon/documents/document-at.ts'
import { otherPipelines, pipelinesIn } from '../daemon/documents/other-pipelines.ts'
import { utf8Text } from '../document/utf8-text.ts'
import { loadPipeline } from '../pipeline/load-pipeline.ts'
import { documentsBefore, outlineOf } from '../pipeline/outline.ts'
import { isFile, whyUnseen } from '../platform/is-file.ts'
import { namesIn } from '../platform/names-in.ts'
import { readBounded } from '../platform/read-bounded.ts'
import { NO_CONFIG, policyWithin } from '../policy/allowed-file.ts'
import { documentPolicy } from '../policy/document-policy.ts'
import { parseNetwork } from '../service/network/parse-network.ts'
import { stepTypes } from '../steps/index.ts'
import { readTest } from './read-test.ts'
import type { TestDocument } from './test-document.ts'
import { isOutside, type TestDeps } from './test-reading.ts'

/**
 * The folder of the project that a test file belongs to, by its absolute path: the folder of the audience.yaml above
 * it, or the file's own folder. The environment does not count. Throws an AudienceError if that audience.yaml is a link
 * to another place.
 */
export function projectOf(file: string): string {
  const config = readConfig({}, dirname(file))?.file
  if (config !== undefined && isOutside(config, dirname(config))) throw linkedConfig(config)
  return dirname(config ?? file)
}

function linkedConfig(file: string): AudienceError {
  const message = `${file} is a link that leads outside its folder`
  return usageError('file-not-allowed', message, 'tests need a file there: copy it')
}

/** What the tests of a project need. Throws an AudienceError if its audience.yaml cannot be used. */
export function testDeps(root: string): TestDeps {
  const settingsFor = (profile?: string) => documentSettings({ env: {}, cwd: root }, { profile })
  const { channels, profiles, policy, privacy, found } = settingsFor()
  return {
    root,
    outsideHint: found ? `the project is ${root}` : NO_CONFIG,
    stepTypes,
    channels,
    optOuts: privacy.suppress.map(optOutPath),
    profiles: profiles[0].known ?? [LOCAL_PROFILE],
    files: { isFile, whyUnseen, namesIn },
    networkProblems,
    readPipeline(file, profile) {
      const document = documentIn(root)(file)
      if (!document || 'unread' in document) return document
      const [values] = profile === undefined ? profiles : settingsFor(profile).profiles
      return loadPipeline({
        ...document,
        file,
        stepTypes,
        values,
        readDocument: documentIn(root),
        policy: documentPolicy(policyWithin(root, policy)),
        channels: () => channels,
      })
    },
  }
}

/** Reads documents, except through links out of the project, because errors show the document's text. */
function documentIn(root: string): typeof documentAt {
  return (path) => (isOutside(path, root) ? { unread: 'it leads outside the project' } : documentAt(path))
}

function networkProblems(file: string): readonly Diagnostic[] {
  try {
    parseNetwork(utf8Text(decodeText(readBounded(file, MAX_NETWORK_BYTES)), file), file)
    return []
  } catch (error) {
    if (error instanceof InvalidDocumentError) return error.diagnostics
    const at = { file, line: 1, column: 1 }
    return [{ severity: 'error', code: 'document-unreadable', message: messageOf(error), at }]
  }
}

/** Far more than any network.yaml has. */
const MAX_NETWORK_BYTES = 10_000_000

/** Reads a test file of a project. Throws InvalidDocumentError with all problems, or another AudienceError. */
export function readTestFile(file: string, root: string): TestDocument {
  const document = documentIn(root)(file)
  if (document && !('unread' in document)) return readTest({ ...document, file }, testDeps(root))
  const message = document ? `${file} cannot be read: ${document.unread}` : `there is no file ${file}`
  throw usageError('document-unreadable', message, 'check the path')
}

/**
 * The paths of the documents of the pipelines after which a pipeline runs, directly or indirectly. A test rehearses
 * them with it.
 */
export function pipelinesBefore(pipeline: string, root: string): readonly string[] {
  const document = documentIn(root)(pipeline)
  const outline = document && !('unread' in document) && outlineOf({ text: document.text, file: pipeline })
  if (!outline || outline.after.length === 0) return []
  const { pipelines } = documentSettings({ env: {}, cwd: root })
  // Without an audience.yaml, the documents next to the pipeline are its project.
  const paths = new Set([...pipelinesIn(pipelines), ...pipelinesIn(dirname(pipeline))])
  const others = otherPipelines(() => new Map([...paths].map((path) => [path, path])))
  return documentsBefore(outline, others).map(({ file }) => file)
}
