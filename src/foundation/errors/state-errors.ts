import { explain } from './explained.ts'
import { REST_PROBLEMS } from './rest-errors.ts'
import { SERVER_ERRORS } from './server-errors.ts'

/** Rules about the state of a school: `reason` of a conflict or of a forbidden request. */
export const STATE_ERRORS = {
  state: explain(
    'The state does not allow this. The token lacks the read scope, so it is not told more.',
    'Ask with a token that has the read scope too.',
  ),
  wrong_state: explain(
    'The object is in another state than this needs.',
    'Read the object to see its state.',
  ),
  taken: explain('Another object has this value already.', 'Choose another value.'),
  in_use: explain(
    'Other objects still need this one.',
    'Archive or close it, or remove them first.',
  ),
  full: explain(
    'Every place is taken.',
    'Raise the capacity, free a place, or choose another time.',
  ),
  too_many: explain('The object has as many parts as it may have.', 'Remove one first.'),
  too_many_jobs: explain(
    'The school has as many waiting jobs as it may have.',
    'Wait until one is finished, or cancel one.',
  ),
  not_cancellable: explain(
    'The job is finished, or cannot be canceled.',
    'Read the job to see its state.',
  ),
  file_gone: explain('The file of the import is gone.', 'Start the import again.'),
  no_file_store: explain(
    'This server stores no files, so it cannot do this as a job.',
    'Send the request without Prefer: respond-async.',
  ),
  paused: explain('The service is paused.', 'Offer it again, then book.'),
  canceled: explain('It was canceled.', 'Reopen it, or make a new one.'),
  over: explain('It is over.', 'Choose one that is still to come.'),
  study_group: explain(
    'The meeting is a class of a study group, which has no seats and no confirmation.',
    'Change the group or its calendar instead.',
  ),
  consulting: explain('A meeting of a service is never removed.', 'Cancel it instead.'),
  event_canceled: explain('The event was canceled.', 'Choose another event.'),
  already_registered: explain('The member is registered already.', 'Leave it as it is.'),
  already_enrolled: explain('The student is enrolled already.', 'Change the enrollment instead.'),
  subscribed: explain('Members are subscribed to this plan.', 'Archive it instead.'),
  used_up: explain('A coupon of the order is used up.', 'Raise its limit first.'),
  invited_lately: explain(
    'The person was invited within the last hour.',
    'Wait, then send the invitation again.',
  ),
  has_signed_in: explain(
    'The person has signed in at this school.',
    'Leave it as it is: they need no invitation, and their own name is shown.',
  ),
  no_mail: explain(
    'This server does not send email.',
    'Ask the administrator of this server to set SMTP_URL.',
  ),
  last_owner: explain('The school would have no owner left.', 'Make another person owner first.'),
  factor_missing: explain(
    'The person has neither a passkey nor a second factor.',
    'Set one up in your account first.',
  ),
  people_only: explain(
    'An app neither gives nor takes the roles owner and admin.',
    'Do it as an owner or admin in the admin area, under Members.',
  ),
  owners_only: explain('Only an owner may do this.', 'Ask an owner of the school.'),
  public: explain(
    'A public application has no secret.',
    'Make a confidential one if you need one.',
  ),
  platform_disabled: explain(
    'The administrator of this server switched the platform off at all schools.',
    'Ask the administrator.',
  ),
  no_client_metadata: explain(
    'The client has no metadata document of its own.',
    'There is nothing to review.',
  ),
  built_in: explain(
    'The application is built in.',
    'End its access or switch it off; it cannot be changed or deleted.',
  ),
  too_early: explain(
    'Caches of the key set may still lack this signing key.',
    'Wait until the page says that it is ready.',
  ),
  does_not_open: explain(
    'The signing key cannot be decrypted with the secret of this installation.',
    'Make a new key, or restore the secret.',
  ),
  signs: explain('The key signs the ID tokens of the school.', 'Activate another key first.'),
  already_active: explain('The signing key is active already.', 'Leave it as it is.'),
  already_retired: explain('The signing key is retired already.', 'Leave it as it is.'),
} as const

/**
 * Codes of one field, parameter or row: `errors[].code` of a problem, and the report of an import.
 */
export const INPUT_ERRORS = {
  required: explain('The field is missing.', 'Send it.'),
  unknown_field: explain(
    'There is no such field here.',
    'Remove it, or check its spelling in the reference.',
  ),
  unknown_parameter: explain(
    'The query has a parameter that this address does not know.',
    'Remove it, or check its spelling in the reference.',
  ),
  repeated_parameter: explain('The parameter was sent more than once.', 'Send it once.'),
  wrong_type: explain(
    'The value has another type than the field, for example a text instead of a number.',
    'Send the type that the reference names.',
  ),
  invalid: explain('The value breaks a rule of this field.', '`detail` says which one.'),
  invalid_value: explain(
    'The value is not one of those that the field knows.',
    'Send one of the values that `detail` lists.',
  ),
  invalid_format: explain(
    'The text does not have the format of the field, such as that of a time or an email address.',
    '`detail` has an example.',
  ),
  invalid_union: explain(
    'The value fits none of the forms that the field takes.',
    'Compare it with the reference.',
  ),
  invalid_key: explain(
    'A name inside the object is not allowed.',
    'Compare it with the reference.',
  ),
  invalid_element: explain(
    'An entry of the list is not allowed.',
    'Compare it with the reference.',
  ),
  not_multiple_of: explain('The number has the wrong step.', '`detail` says which one.'),
  too_small: explain(
    'The number is too small, or the text or list too short.',
    '`minimum` has the limit.',
  ),
  too_big: explain(
    'The number is too big, or the text or list too long.',
    '`maximum` has the limit.',
  ),
  too_long: explain('A line or a cell of the file is too long.', 'Shorten it.'),
  too_large: REST_PROBLEMS.too_large.explained,
  empty: explain('The value or the file is empty.', 'Send something, or leave the field out.'),
  repeated: explain('The same thing is named twice.', 'Name it once.'),
  wrong_format: explain(
    'The bytes of the file are not what its type says.',
    'Send a file of a type that `detail` names.',
  ),
  invalid_text: explain(
    'The text holds a character that cannot be stored, such as NUL.',
    'Remove the character.',
  ),
  invalid_time: explain('The time is out of range.', 'Send a time that exists.'),
  out_of_range: explain('The value is out of range.', '`detail` has the range.'),
  invalid_cursor: explain(
    '`after` is not a cursor of this list with this order.',
    'Pass `next` of the page before, unchanged, with the same parameters.',
  ),
  unknown_reference: explain(
    'The id refers to nothing at this school.',
    'Check the id. In an import, import what it refers to first.',
  ),
  inconsistent: explain(
    'The values of the object do not fit together.',
    '`detail` names the two that contradict each other.',
  ),
  one_of: explain(
    'Of several fields exactly one must be set.',
    'Set one and leave out the others.',
  ),
  fixed: explain('The field cannot be changed after it was made.', 'Leave it out.'),
  in_the_past: explain('The time is over already.', 'Choose a later one.'),
  before_start: explain('The end is before the start.', 'Move one of them.'),
  before_from: explain('The last day is before the first.', 'Exchange `from` and `to`.'),
  before_created: explain('The time is before the object was made.', 'Send a later one.'),
  too_many_steps: explain(
    'The period has too many steps of this interval.',
    'Ask for a shorter period or a longer interval.',
  ),
  other_weekday: explain('The day is not on the weekday of the slot.', 'Choose a day that fits.'),
  other_member: explain('The order belongs to another member.', 'Check the order number.'),
  no_seat: explain(
    'The member holds no seat in this meeting.',
    'Check the member and the meeting.',
  ),
  already_seated: explain('The member has a seat already.', 'Leave it as it is.'),
  already_in_group: explain('The member is in the group already.', 'Leave it as it is.'),
  not_in_group: explain('The member is not in the group.', 'Check the member and the group.'),
  not_enrolled: explain(
    'The student was never enrolled in the course.',
    'Enroll the student, or import the enrollments first.',
  ),
  incomplete: explain(
    'The list must name every part exactly once.',
    'Read the object for the ids, and send all of them in the new order.',
  ),
  malformed: explain(
    'The line of the file cannot be read.',
    '`detail` says what is wrong with it. Correct the line.',
  ),
  unclosed_quote: explain(
    'A quotation mark of the CSV file is never closed.',
    'Close it, or double the quotation marks inside a cell.',
  ),
  not_utf8: explain('The file is not UTF-8.', 'Save it as UTF-8.'),
  not_found: SERVER_ERRORS.not_found,
  stale_version: REST_PROBLEMS.stale_version.explained,
} as const
