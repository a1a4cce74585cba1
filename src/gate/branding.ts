import type { School } from '../domain/schools/school.ts'
import { sha256 } from '../foundation/crypto/digest.ts'
import type { Branding } from '../foundation/html/layout.tsx'

/**
 * How a school's pages look: its name, its logo, the version of its colours, and the language of
 * its texts.
 */
export function brandingOf(school: School): Branding {
  const { appearance } = school
  return {
    name: school.name,
    origin: school.origin,
    logoUrl: appearance.logoFileId === undefined ? undefined : `/files/${appearance.logoFileId}`,
    themeVersion: themeVersion(school),
    language: school.locale,
  }
}

/** A digest of the content, so that the stylesheet can be cached forever. */
export function themeVersion({ appearance }: School): string {
  return sha256(`${appearance.primaryColor} ${appearance.accentColor}`).toString('hex').slice(0, 12)
}
