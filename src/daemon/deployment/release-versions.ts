import { releasesFolder, type Settings } from '../../config/settings.ts'
import type { GitVersionOf } from '../../platform/git-version.ts'
import { commitOfRelease } from './release-folder.ts'

/** The commit of a document in a release is in its path; `other` returns the commit of any other document. */
export function releaseVersions(settings: Pick<Settings, 'shared'>, other: GitVersionOf): GitVersionOf {
  const releases = releasesFolder(settings)
  return async (document) => {
    const commit = commitOfRelease(releases, document.file)
    return commit === undefined ? other(document) : { commit, dirty: false }
  }
}
