import type { GitSettings } from '../../config/pipelines-config.ts'
import type { Settings } from '../../config/settings.ts'
import { usageError } from '../../core/errors.ts'
import { fileCheck } from '../../policy/enforce.ts'
import type { ReadDocument } from '../documents/live-documents.ts'
import type { ReleaseRules } from './read-release.ts'

/** The settings of the deployment; throws if the pipelines are in a folder. */
export function deploymentOf({ deployment }: Pick<Settings, 'deployment'>): GitSettings {
  if (deployment) return deployment
  throw usageError(
    'no-deployment',
    'the pipelines are in a folder, and are not deployed from git',
    'give `pipelines: { git: { url: … } }` in audience.yaml; docs/deployment.md shows how',
  )
}

/** How the documents of a release are read under these settings; `read` reads one document. */
export function releaseRules(settings: Settings, read: ReadDocument): ReleaseRules {
  const { path, workdir } = deploymentOf(settings)
  return { read, checkFile: fileCheck(settings.policy), workdir, path }
}
