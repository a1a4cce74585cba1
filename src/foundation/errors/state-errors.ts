import { explain } from './explained.ts'

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
