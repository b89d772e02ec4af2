import { execFileSync } from 'node:child_process'
import { isFreshBuild } from './fresh-build.ts'

// `npm ci` has built, so the first tests in a fresh clone need no other build.
if (!isFreshBuild()) execFileSync('npm', ['run', 'build'], { stdio: 'inherit' })
