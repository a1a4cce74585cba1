alter table schools add column operator_factor_from timestamptz(3);
comment on column schools.operator_factor_from is 'from then on owners and admins need a passkey or a second factor; null if the school does not demand it';
