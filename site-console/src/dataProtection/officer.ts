import type { ProtectionTopic } from "@consilium/core/hospital/dataProtectionViews";

/** What no configuration knows: for the officer to write. */
export function officersPart(): ProtectionTopic[] {
  return [
    {
      title: "Controller, officer, representatives (Art. 30(1)(a))",
      paragraphs: [
        "Name and contact of the hospital as controller, of the data-protection officer, and of joint controllers if there are any.",
        "Whether the hospitals of a study are joint controllers (Art. 26), and the agreement between them.",
        "Whose service aggregator and publisher are, in which role, under which contract (Art. 28).",
      ],
    },
    {
      title: "Purposes and legal basis (Art. 6, 9, 30(1)(b))",
      paragraphs: [
        "The legal basis of each study above: consent, public interest, research (Art. 9(2)(j), 89) or the national law that allows it.",
        "The purpose of each study whose text states none, and the ethics committee's vote with its number.",
      ],
    },
    {
      title: "Data subjects and categories of data (Art. 30(1)(c))",
      paragraphs: [
        "Who the people in each table are, how many, and from when to when. This document leaves numbers out, because it may be passed on; consilium site profile shows them.",
        "Which of the columns above are data concerning health, genetic or otherwise special (Art. 9).",
      ],
    },
    {
      title: "Recipients and transfers (Art. 30(1)(d) and (e))",
      paragraphs: [
        "The legal names behind the recipients above, and where the aggregator, the publisher and the readers are. Software cannot tell in which country a server stands.",
        "For a country outside the EU or EEA: the safeguard (Art. 44 to 49), if what goes there is held to be personal data.",
      ],
    },
    {
      title: "Erasure (Art. 30(1)(f))",
      paragraphs: [
        "The periods for what is marked above as growing without limit, and who sees to them: logs, backups, the audit log.",
        "What is done when a patient objects or asks for erasure: the record can be left out of the table for studies to come. What was released cannot be called back, and cannot be told apart.",
      ],
    },
    {
      title: "Assessment (Art. 35(7)(b) to (d))",
      paragraphs: [
        "Necessity and proportionality: why these columns, why these budgets, why not fewer.",
        "Risks to the patients, from what the guarantee does not cover and from what this configuration leaves open; the measures against each; what remains; the advice of the officer (Art. 35(2)).",
      ],
    },
    {
      title: "Organisational measures (Art. 32)",
      paragraphs: [
        "Who approves studies and by which rule; training; encryption of disks and swap; physical access; who keeps backups and their passphrase; how a breach is told (Art. 33, 34).",
      ],
    },
    {
      title: "Where HIPAA applies",
      paragraphs: [
        "Under which provision the outgoing data are used: de-identified by expert determination (45 CFR 164.514(b)(1)), a limited data set with its agreement (164.514(e)), a waiver for research (164.512(i)), or authorisation.",
        "Business associate agreements with anyone who operates aggregator and publisher, if they are held to receive protected health information (164.504(e)).",
        "The risk analysis (164.308(a)(1)(ii)(A)); for an accounting of disclosures (164.528) the egress log is the source: consilium ledger egress.",
      ],
    },
  ];
}
