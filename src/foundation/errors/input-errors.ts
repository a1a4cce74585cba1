import { explain } from './explained.ts'
import { REST_PROBLEMS } from './rest-errors.ts'
import { SERVER_ERRORS } from './server-errors.ts'

/** Codes of one field, parameter or row: `errors[].code` of a problem, and the report of an import. */
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
