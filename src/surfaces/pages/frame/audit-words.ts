import type { AuditAction } from '../../../domain/audit/audit.ts'
import type { AuditRecord } from '../../../domain/audit/read-audit.ts'

/** The name of each action on the page of the audit log. */
export const auditWords: Readonly<Record<AuditAction, string>> = {
  'authorization.granted': 'Access allowed',
  'authorization.denied': 'Access denied',
  'authorization.ended': 'Access ended',
  'authorization.refused': 'Authorization refused',
  'token.issued': 'Tokens issued',
  'token.refreshed': 'Tokens refreshed',
  'token.refused': 'Tokens refused',
  'token.revoked': 'Tokens revoked',
  'token.replayed': 'Old refresh token used again',
  'code.replayed': 'Code used again',
  'client.created': 'App added',
  'client.changed': 'App changed',
  'client.secret_rotated': 'Secret renewed',
  'client.secret_ended': 'Old secret ended',
  'client.deleted': 'App deleted',
  'client.reviewed': 'App reviewed',
  'client.disabled': 'App switched off',
  'key.published': 'Signing key published',
  'key.activated': 'Signing key activated',
  'key.retired': 'Signing key retired',
  'school.created': 'School created',
  'school.changed': 'Settings changed',
  'school.deleted': 'School deleted',
  'school.suspended': 'School suspended',
  'school.resumed': 'School resumed',
  'member.roles_changed': 'Roles changed',
  'member.invited': 'Invited',
  'member.name_corrected': 'Name corrected',
  'session.new_browser': 'Signed in with a new browser',
  'session.ended': 'Browser signed out',
  'session.calendar_made': 'Calendar address made',
  'session.calendar_ended': 'Calendar address ended',
  'person.created': 'Account created',
  'person.deletion_requested': 'Deletion requested',
  'person.deletion_cancelled': 'Deletion canceled',
  'person.signed_up': 'Signed up',
  'person.deleted': 'Account deleted',
  'person.password_changed': 'Password changed',
  'person.everything_ended': 'Everything of an account ended',
  'person.profile_changed': 'Name or picture changed',
  'passkey.added': 'Passkey added',
  'passkey.renamed': 'Passkey renamed',
  'passkey.removed': 'Passkey removed',
  'passkey.cloned': 'Copied passkey refused',
  'factor.added': 'Second factor switched on',
  'factor.removed': 'Second factor switched off',
  'factor.codes_renewed': 'New recovery codes',
  'factor.removal_requested': 'Lost passkey or authenticator reported',
  'factor.removal_cancelled': 'Passkey or authenticator found again',
  'factor.used_recovery_code': 'Recovery code used',
  'person.email_changed': 'Email address changed',
  'person.email_change_undone': 'Change of email address undone',
  'operation.done': 'School data changed',
}

/** A change of the school's own data is named by its operation: "Digital products: publish". */
export function auditWord(action: string, detail: AuditRecord['detail'] = {}): string {
  if (action === 'operation.done' && typeof detail.operation === 'string') {
    const [what = '', how = ''] = detail.operation.replaceAll('_', ' ').split('.')
    return `${what.charAt(0).toUpperCase()}${what.slice(1)}: ${how}`
  }
  return Object.hasOwn(auditWords, action) ? auditWords[action as AuditAction] : action
}
