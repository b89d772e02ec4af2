/** A document with this many steps, different for each number, that uses every part of the format. */
export function documentOf(number: number, steps: number): string {
  const groups = Array.from({ length: Math.ceil(steps / 3) }, (_, group) => group)
  const text = groups.flatMap((group) => stepsOf(number, group)).slice(0, steps)
  return `version: 1
name: pipeline-${number}
description: Number ${number} of many.

inputs:
  file: { type: file, default: data/auto-intenders.csv, description: One e-mail address a line. }
  groupId: { type: integer, default: ${9001 + number} }
  minimumMatch: { type: integer, default: 100 }

timeout: 12h

steps:
${text.join('')}
outputs:
  matchCount: \${{ steps.match0.outputs.matchCount }}
`
}

function stepsOf(number: number, group: number): string[] {
  return [
    `  - id: upload${group}
    uses: files.upload
    with:
      file: \${{ inputs.file }}
      uploadSignal: EMAIL
      resultContent: BGID

`,
    `  - id: segment${group}
    uses: segments.ensure # creates it the first time
    with:
      segmentFileName: \${{ steps.upload${group}.outputs.name }}
      participantSegmentId: intenders-${number}-${group}
      segmentName: "Auto intenders ${group}"
      uploadSignal: EMAIL
      resultContent: BGID
      providerId: 1001
    await: { timeout: 2h }

`,
    `  - id: match${group}
    uses: matches.ensure
    with:
      segmentId: \${{ steps.segment${group}.outputs.segmentId }}
      groupId: \${{ inputs.groupId }}
      deliveryScopes: [CABLE]
      shareSegmentName: false
      accessBgIds: false
    expect:
      - check: \${{ outputs.matchCount >= inputs.minimumMatch }}
        message: too few matches

`,
  ]
}
